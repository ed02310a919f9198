// Mints an owner token and prints it: node mint_token.mjs SANDBOX_ID
//
// A backend that has the owner key needs no request to the worker for that. PORTHOLE_OWNER_KEYS is the service's own
// setting, a comma list of kid:base64url-key; the first key signs. The token is a JWT, HS256: any JWT library makes the
// same. Node 18 or later, no packages.
import { createHmac } from 'node:crypto';

const VALID_SECONDS = 3600;

const [sandboxId] = process.argv.slice(2);
if (!sandboxId || !process.env.PORTHOLE_OWNER_KEYS) {
  console.error('usage: PORTHOLE_OWNER_KEYS=kid:base64url-key node mint_token.mjs SANDBOX_ID');
  process.exit(2);
}
const [kid, key] = process.env.PORTHOLE_OWNER_KEYS.split(',')[0].trim().split(':');

const base64url = value => Buffer.from(JSON.stringify(value)).toString('base64url');
const issuedAt = Math.floor(Date.now() / 1000);
const message = [
  base64url({ alg: 'HS256', typ: 'JWT', kid }),
  base64url({ iss: 'porthole', sub: sandboxId, iat: issuedAt, exp: issuedAt + VALID_SECONDS }),
].join('.');
const signature = createHmac('sha256', Buffer.from(key, 'base64url')).update(message).digest('base64url');
console.log(`${message}.${signature}`);
