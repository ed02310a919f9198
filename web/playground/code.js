// A call as code that works when it is pasted: curl, JavaScript, Python, Rust. The token stands in an environment
// variable, so that no secret is shown or copied. `create` has neither a sandbox nor a token: it makes them.

/** @typedef {{base: string, sandboxId: string, keyed: boolean, route: string, body: any}} Call */

/** What the code needs of its environment. @param {Call} call @param {string} mark a comment's begin */
function needs(call, mark) {
  const token = 'PORTHOLE_OWNER_TOKEN: of POST /api/sandbox/create, as is the sandbox_id';
  const variables = [creates(call) ? '' : token, call.keyed ? 'PORTHOLE_KEY: a client key' : ''].filter(Boolean);
  return variables.length > 0 ? `${mark} ${variables.join('; ')}\n` : '';
}

/** Whether the call makes its sandbox. @param {Call} call */
function creates({ route }) {
  return route === 'create';
}

/** @param {any} value */
function json(value) {
  return JSON.stringify(value, null, 2);
}

/** @param {Call} call */
function curl(call) {
  const key = call.keyed ? ` \\\n  -H "authorization: Bearer $PORTHOLE_KEY"` : '';
  const owner = creates(call) ? {} : { sandbox_id: call.sandboxId, owner_token: 'TOKEN' };
  const body = json({ ...owner, ...call.body }).replaceAll("'", `'\\''`).replace('"TOKEN"', `"'"$PORTHOLE_OWNER_TOKEN"'"`);
  return `${needs(call, '#')}curl -s ${call.base}/api/sandbox/${call.route} \\\n  -H 'content-type: application/json'${key} \\\n  -d '${body}'\n`;
}

/** @param {Call} call */
function javascript(call) {
  const key = call.keyed ? '\n    authorization: `Bearer ${process.env.PORTHOLE_KEY}`,' : '';
  const fields = json(call.body).split('\n').slice(1, -1).map((one) => `  ${one}`).join('\n');
  const owner = creates(call) ? '' : `    sandbox_id: '${call.sandboxId}',\n    owner_token: process.env.PORTHOLE_OWNER_TOKEN,\n`;
  return `${needs(call, '//')}const response = await fetch('${call.base}/api/sandbox/${call.route}', {
  method: 'POST',
  headers: {
    'content-type': 'application/json',${key}
  },
  body: JSON.stringify({
${owner}${fields ? `${fields},\n` : ''}  }),
});
const answer = await response.json();
if (!answer.ok) throw new Error(\`\${answer.error}: \${answer.message}\`);
console.log(answer);
`;
}

/**
 * A JSON value as Python writes it.
 *
 * @param {any} value
 * @param {string} indent
 * @returns {string}
 */
function pythonValue(value, indent) {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map((one) => pythonValue(one, indent)).join(', ')}]`;
  if (typeof value === 'object') {
    const inner = `${indent}    `;
    return `{\n${Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${pythonValue(one, inner)},\n`).join('')}${indent}}`;
  }
  return JSON.stringify(value);
}

/** @param {Call} call */
function python(call) {
  const key = call.keyed ? ', "authorization": "Bearer " + os.environ["PORTHOLE_KEY"]' : '';
  const fields = Object.entries(call.body).map(([name, one]) => `    ${JSON.stringify(name)}: ${pythonValue(one, '    ')},\n`).join('');
  const owner = creates(call) ? '' : `    "sandbox_id": ${JSON.stringify(call.sandboxId)},\n    "owner_token": os.environ["PORTHOLE_OWNER_TOKEN"],\n`;
  return `${needs(call, '#')}import json, os, urllib.request

body = {
${owner}${fields}}
request = urllib.request.Request(
    "${call.base}/api/sandbox/${call.route}",
    data=json.dumps(body).encode(),
    headers={"content-type": "application/json"${key}},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))
`;
}

/** The client library's types and methods of one-shot requests. @type {Record<string, [string, string]>} */
const RUST = { 'browser-screenshot': ['ScreenshotRequest', 'screenshot'], 'browser-extract': ['ExtractRequest', 'extract'] };

/** @param {string} name */
function pascal(name) {
  return name[0].toUpperCase() + name.slice(1);
}

/** A request from its JSON, which is a raw string: Rust's own strings have other escapes. @param {string} type @param {any} body */
function rustRequest(type, body) {
  const text = json(body);
  let mark = '#';
  while (text.includes(`"${mark}`)) mark += '#';
  return `${type} = serde_json::from_str(\n    r${mark}"${text}"${mark},\n)?;`;
}

/** @param {Call} call */
function rust(call) {
  const key = call.keyed ? '\n    .key(std::env::var("PORTHOLE_KEY")?.into())' : '';
  const client = `let client = Client::builder()\n    .url("${call.base}")${key}\n    .build()?;\n`;
  if (creates(call)) {
    return `${needs(call, '//')}use porthole_client::{Client, CreateRequest};

${client}let answer = client.create(&CreateRequest::default()).await?;
println!("{answer:?}");
`;
  }
  const owned = `${client}let token = std::env::var("PORTHOLE_OWNER_TOKEN")?;\n`;
  const one = RUST[call.route];
  if (one) {
    const [type, method] = one;
    return `${needs(call, '//')}use porthole_client::{Client, ${type}};

${owned}let mut request: ${rustRequest(type, { sandbox_id: call.sandboxId, ...call.body })}
request.owner_token = Some(token.into());
let answer = client.${method}(&request).await?;
println!("{answer:?}");
`;
  }
  const name = call.route.replace('session/', '');
  const method = name === 'type' ? 'type_text' : name;
  const { session, ...body } = call.body;
  const handle = session ? `.with_handle(${JSON.stringify(session)})` : '';
  const run = name === 'close' ? 'let answer = session.close().await?;'
    : `let request: ${rustRequest(`${pascal(name)}Request`, { sandbox_id: call.sandboxId, ...body })}\nlet answer = session.${method}(request).await?;`;
  const imports = name === 'close' ? 'use porthole_client::Client;' : `use porthole_client::{Client, session::${pascal(name)}Request};`;
  return `${needs(call, '//')}${imports}

${owned}let session = client.session(${JSON.stringify(call.sandboxId)}, Some(token.into()))${handle};
${run}
println!("{answer:?}");
`;
}

/** The languages, by the name that people read. @type {Record<string, (call: Call) => string>} */
export const LANGUAGES = { curl, Rust: rust, JavaScript: javascript, Python: python };
