// A call as code that works when it is pasted: curl, JavaScript, Python, Rust. The token stands in an environment
// variable, so that no secret is shown or copied.

/** @typedef {{base: string, sandboxId: string, keyed: boolean, route: string, body: any}} Call */

/** What the code needs of its environment. @param {Call} call @param {string} mark a comment's begin */
function needs({ keyed }, mark) {
  return `${mark} PORTHOLE_OWNER_TOKEN: of POST /api/sandbox/create, as is the sandbox_id${keyed ? '; PORTHOLE_KEY: a client key' : ''}\n`;
}

/** @param {any} value */
function json(value) {
  return JSON.stringify(value, null, 2);
}

/** @param {Call} call */
function curl(call) {
  const key = call.keyed ? ` \\\n  -H "authorization: Bearer $PORTHOLE_KEY"` : '';
  const body = json({ sandbox_id: call.sandboxId, owner_token: 'TOKEN', ...call.body }).replaceAll("'", `'\\''`).replace('"TOKEN"', `"'"$PORTHOLE_OWNER_TOKEN"'"`);
  return `${needs(call, '#')}curl -s ${call.base}/api/sandbox/${call.route} \\\n  -H 'content-type: application/json'${key} \\\n  -d '${body}'\n`;
}

/** @param {Call} call */
function javascript(call) {
  const key = call.keyed ? '\n    authorization: `Bearer ${process.env.PORTHOLE_KEY}`,' : '';
  const fields = json(call.body).split('\n').slice(1, -1).map((one) => `  ${one}`).join('\n');
  return `${needs(call, '//')}const response = await fetch('${call.base}/api/sandbox/${call.route}', {
  method: 'POST',
  headers: {
    'content-type': 'application/json',${key}
  },
  body: JSON.stringify({
    sandbox_id: '${call.sandboxId}',
    owner_token: process.env.PORTHOLE_OWNER_TOKEN,
${fields ? `${fields},\n` : ''}  }),
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
  return `${needs(call, '#')}import json, os, urllib.request

body = {
    "sandbox_id": ${JSON.stringify(call.sandboxId)},
    "owner_token": os.environ["PORTHOLE_OWNER_TOKEN"],
${fields}}
request = urllib.request.Request(
    "${call.base}/api/sandbox/${call.route}",
    data=json.dumps(body).encode(),
    headers={"content-type": "application/json"${key}},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))
`;
}

/** The client library's types and methods. @type {Record<string, [string, string]>} */
const RUST = { 'browser-screenshot': ['ScreenshotRequest', 'screenshot'], 'browser-extract': ['ExtractRequest', 'extract'] };

/** @param {string} name */
function pascal(name) {
  return name[0].toUpperCase() + name.slice(1);
}

/** @param {Call} call */
function rust(call) {
  const key = call.keyed ? '\n    .key(std::env::var("PORTHOLE_KEY")?)' : '';
  const client = `let client = Client::builder()\n    .url("${call.base}")${key}\n    .build()?;\nlet token = std::env::var("PORTHOLE_OWNER_TOKEN")?;\n`;
  const one = RUST[call.route];
  const indented = (/** @type {any} */ value) => json(value).replaceAll('\n', '\n');
  if (one) {
    const [type, method] = one;
    const body = { sandbox_id: call.sandboxId, ...call.body };
    return `${needs(call, '//')}use porthole_client::{Client, ${type}};

${client}let mut request: ${type} = serde_json::from_value(serde_json::json!(${indented(body)}))?;
request.owner_token = Some(token.into());
let answer = client.${method}(&request).await?;
println!("{answer:?}");
`;
  }
  const name = call.route.replace('session/', '');
  const method = { type: 'type_text', open: 'open' }[name] ?? name;
  const { session, ...body } = call.body;
  const handle = session ? `.with_handle(${JSON.stringify(session)})` : '';
  const run = name === 'close' ? 'let answer = session.close().await?;'
    : `let request: ${pascal(name)}Request = serde_json::from_value(serde_json::json!(${indented(body)}))?;\nlet answer = session.${method}(request).await?;`;
  const imports = name === 'close' ? 'use porthole_client::Client;' : `use porthole_client::{Client, session::${pascal(name)}Request};`;
  return `${needs(call, '//')}${imports}

${client}let session = client.session(${JSON.stringify(call.sandboxId)}, Some(token.into()))${handle};
${run}
println!("{answer:?}");
`;
}

/** The languages, by the name that people read. @type {Record<string, (call: Call) => string>} */
export const LANGUAGES = { curl, Rust: rust, JavaScript: javascript, Python: python };
