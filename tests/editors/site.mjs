// Serves a folder of bundles on loopback, and for every other path a page with the bundle of that name. Prints its address.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const TYPES = { css: 'text/css', js: 'text/javascript' };

const server = createServer(({ url }, answer) => {
  const [name] = url.slice(1).split('?');
  const [, type] = /^[a-z0-9]+\.(css|js)$/.exec(name) ?? [];
  const path = join(folder, name);
  if (type) {
    answer.setHeader('content-type', TYPES[type]);
    return answer.end(existsSync(path) ? readFileSync(path) : '');
  }
  answer.setHeader('content-type', 'text/html');
  answer.end(`<!doctype html><meta charset=utf-8><title>${name}</title><link rel=stylesheet href="/${name}.css">
    <body><script src="/${name}.js"></script>`);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
