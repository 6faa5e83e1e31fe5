// A whole sign-in written by hand on `node:http`, as the limit that svc is compared with: the same five requests (start,
// picker, choice, callback, verify), a state and a user that are on the disk before they are answered, and an HS256 token
// signed by `node:crypto`. No checks beyond those that a sign-in cannot do without.
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { openSync, fdatasync, write } from "node:fs";
import { createServer } from "node:http";

const SECRET = `sk_${randomBytes(32).toString("hex")}`;
const ACCOUNTS = ["ada", "alan", "grace", "mary", "charles", "hedy"];
const states = new Map();
const codes = new Map();
const users = new Map();
const file = openSync("by-hand.log", "w");

// One write and one sync for all that wait: what is answered is on the disk.
let waiting = [];
let isWriting = false;
function save(line) {
  return new Promise((resolve) => {
    waiting.push([line, resolve]);
    if (!isWriting) flush();
  });
}
function flush() {
  isWriting = waiting.length > 0;
  if (!isWriting) return;
  const group = waiting.splice(0);
  write(file, group.map(([line]) => line).join(""), () =>
    fdatasync(file, () => {
      for (const [, resolve] of group) resolve();
      flush();
    }),
  );
}

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const HEADER = part({ alg: "HS256", typ: "JWT" });
const sign = (text) => createHmac("sha256", SECRET).update(text).digest("base64url");

const redirect = (response, location) => response.writeHead(302, { location, "content-length": 0 }).end();
const send = (response, type, text) =>
  response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);

const ROUTES = {
  async "/oauth/authorize"(query, response) {
    const state = randomBytes(32).toString("hex");
    states.set(state, { redirect_uri: query.get("redirect_uri"), expires: Date.now() + 600_000 });
    await save(`${JSON.stringify({ state, redirect_uri: query.get("redirect_uri") })}\n`);
    redirect(response, `/picker?state=${state}`);
  },
  "/picker"(query, response) {
    const rows = ACCOUNTS.map((name) => `<li><a href="/choose?state=${query.get("state")}&amp;as=${name}">${name}</a>`);
    send(response, "text/html; charset=utf-8", `<!doctype html><title>Sign in</title><ul>${rows.join("")}</ul>`);
  },
  "/choose"(query, response) {
    const code = randomBytes(16).toString("hex");
    codes.set(code, query.get("as"));
    redirect(response, `/callback?code=${code}&state=${query.get("state")}`);
  },
  async "/callback"(query, response) {
    const state = states.get(query.get("state"));
    const name = codes.get(query.get("code"));
    states.delete(query.get("state"));
    codes.delete(query.get("code"));
    if (!state || state.expires < Date.now() || !name) return response.writeHead(400).end();
    const user = users.get(name) ?? { id: randomUUID(), name, email: `${name}@acme.test` };
    users.set(name, user);
    await save(`${JSON.stringify({ user, taken: query.get("state"), at: new Date() })}\n`);
    const iat = Math.floor(Date.now() / 1000);
    const claims = part({ iss: "svc", sub: user.id, email: user.email, name, iat, exp: iat + 3600 });
    redirect(response, `${state.redirect_uri}?token=${HEADER}.${claims}.${sign(`${HEADER}.${claims}`)}`);
  },
};

createServer((request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/api/v1/tokens/verify") {
    const chunks = [];
    return request
      .on("data", (chunk) => chunks.push(chunk))
      .on("end", () => {
        const [head, claims, signature] = JSON.parse(Buffer.concat(chunks)).token.split(".");
        if (sign(`${head}.${claims}`) !== signature) return response.writeHead(401).end();
        send(response, "application/json", Buffer.from(claims, "base64url").toString());
      });
  }
  return ROUTES[url.pathname](url.searchParams, response);
}).listen(0, "127.0.0.1", function () {
  process.stdout.write(`${JSON.stringify({ port: this.address().port, secret_key: SECRET })}\n`);
});
