// What the service is compared with: `node:http` and nothing else, or nothing else but jose.
import { subtle } from "node:crypto";
import { createServer } from "node:http";

const { kind = "read", secret = "", answer = "{}" } = JSON.parse(process.argv[2] ?? "{}");
const head = { "content-type": "application/json", "content-length": Buffer.byteLength(answer) };

const reply = (response) => response.writeHead(200, head).end(answer);

function readBody(request, then) {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk)).on("end", () => then(Buffer.concat(chunks).toString()));
}

async function handler() {
  if (kind === "read") return (_request, response) => reply(response);
  if (kind === "parse") return (request, response) => readBody(request, (text) => reply(response, JSON.parse(text)));
  const { compactVerify } = await import("jose");
  // In the form in which svc keeps it.
  const key = await subtle.importKey("raw", Buffer.from(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  return (request, response) =>
    readBody(request, (text) => {
      compactVerify(JSON.parse(text).token, key, { algorithms: ["HS256"] }).then(
        () => reply(response),
        () => response.writeHead(401).end(),
      );
    });
}

createServer(await handler()).listen(0, "127.0.0.1", function () {
  process.stdout.write(`${JSON.stringify({ port: this.address().port })}\n`);
});
