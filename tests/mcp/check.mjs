// npm `@modelcontextprotocol/sdk`, unchanged, drives `porthole mcp` over stdio and a worker's `/mcp`.
// Arguments: the command, the URL of `/mcp`, a page with a form.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [command, url, site] = process.argv.slice(2);

async function work(name, transport) {
  const client = new Client({ name: "check", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.equal(tools.length, 21);
  let progress = 0;
  const call = async (tool, args, options = {}) => {
    const result = await client.callTool({ name: tool, arguments: args }, undefined, options);
    const text = result.content.filter((block) => block.type === "text").map((block) => block.text).join("\n");
    return { ...result, text };
  };
  const reference = (text, role) => text.match(new RegExp(`- ${role} .*\\[ref=(@e\\d+)\\]`))[1];

  const opened = await call("browser_navigate", { url: site });
  assert.ok(!opened.isError, opened.text);
  await call("browser_type", { ref: reference(opened.text, "textbox"), text: "Ada" });
  const snapshot = { mode: "full", interactiveOnly: false };
  const clicked = await call("browser_click", { ref: reference(opened.text, "button"), snapshot });
  assert.match(clicked.text, /Thank you, Ada/);
  const picture = await call("browser_screenshot", {});
  assert.equal(picture.content.filter((block) => block.type === "image").length, 1);
  const stale = await call("browser_click", { ref: "@e999" });
  assert.ok(stale.isError && /STALE_REF/.test(stale.text), stale.text);
  await call("browser_wait", { ms: 1200 }, { onprogress: () => (progress += 1) });
  assert.ok(progress > 0, "no progress");
  const leaving = new AbortController();
  const waiting = call("browser_wait", { ms: 20000 }, { signal: leaving.signal });
  setTimeout(() => leaving.abort(), 300);
  await assert.rejects(waiting);
  const closed = await call("browser_close", {});
  assert.ok(!closed.isError, closed.text);
  await assert.rejects(client.callTool({ name: "browser_fly", arguments: {} }), { code: -32602 });
  if (transport.terminateSession) await transport.terminateSession();
  await client.close();
  console.log(`${name}: ok, ${client.getServerVersion().name}, ${progress} progress notifications`);
}

await work("stdio", new StdioClientTransport({ command, args: ["mcp", "--own"], env: process.env, stderr: "ignore" }));
await work("http", new StreamableHTTPClientTransport(new URL(url)));
