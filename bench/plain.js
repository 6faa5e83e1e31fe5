// A sign-in service on svc's own packages, h3, jose and listhen, each used as its documentation shows and nothing else:
// the limit that svc is compared with. A browser asks for a sign-in, chooses an account at a simulated Google, comes back
// with a code, and brings its application a token, which the application has verified. What is answered is on the disk.
import { randomBytes, randomUUID, subtle } from "node:crypto";
import { open } from "node:fs/promises";
import {
  deleteCookie,
  getCookie,
  getQuery,
  H3,
  html,
  HTTPError,
  raw,
  readBody,
  redirect,
  setCookie,
  toNodeHandler,
} from "h3";
import { jwtVerify, SignJWT } from "jose";
import { listen } from "listhen";

const REDIRECT_URIS = ["http://localhost:3000/callback"];
const CALLBACK = "/oauth/google/callback";
const STATE_SECONDS = 600;
const ACCOUNTS = ["ada", "alan", "grace", "mary", "charles", "hedy"].map((name, index) => ({
  sub: String(1000 + index),
  name,
  email: `${name}@acme.test`,
}));

const secretKey = `sk_${randomBytes(32).toString("hex")}`;
const algorithm = { name: "HMAC", hash: "SHA-256" };
const signingKey = await subtle.importKey("raw", Buffer.from(secretKey), algorithm, false, ["sign", "verify"]);

const states = new Map();
const codes = new Map();
/** By id. */
const users = new Map();
/** By the account at Google. */
const identities = new Map();

const journal = await open("plain.log", "w");
let lines = "";
let current = Promise.resolve();
let next;

/** Resolves when the record is on the disk. Records that come while others are written share the next write. */
function append(record) {
  lines += `${JSON.stringify(record)}\n`;
  next ??= current.then(flush);
  return next;
}

async function flush() {
  const group = lines;
  lines = "";
  current = next;
  next = undefined;
  await journal.write(group);
  await journal.datasync();
}

function signToken(user) {
  return new SignJWT({ email: user.email, name: user.name, provider: "google" })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer("svc")
    .setSubject(user.id)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(signingKey);
}

/** An address with parameters added. */
function withQuery(address, parameters) {
  return `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams(parameters)}`;
}

/** Removes a value as it is read, so that it counts once. */
function take(map, key) {
  const value = map.get(key);
  map.delete(key);
  return value;
}

/** The account's user, who is created at the first sign-in. */
function userOf({ sub, name, email }) {
  const id = identities.get(sub) ?? randomUUID();
  const user = { id, email, name, created_at: new Date().toISOString(), ...users.get(id) };
  identities.set(sub, id);
  users.set(id, user);
  return user;
}

const app = new H3();

app.get("/oauth/authorize", async (event) => {
  const { provider, redirect_uri } = getQuery(event);
  if (provider !== "google") throw HTTPError.status(400, "Unknown provider");
  if (!REDIRECT_URIS.includes(redirect_uri)) throw HTTPError.status(400, "Invalid redirect_uri");
  const state = randomBytes(32).toString("hex");
  const binding = randomBytes(32).toString("base64url");
  const record = { redirect_uri, binding, expires: Date.now() + STATE_SECONDS * 1000 };
  states.set(state, record);
  await append({ state, ...record });
  setCookie(event, "sign_in", binding, { path: "/oauth", maxAge: STATE_SECONDS, httpOnly: true, sameSite: "lax" });
  return redirect(withQuery("/google/authorize", { redirect_uri: CALLBACK, state }));
});

app.get("/google/authorize", (event) => {
  const query = getQuery(event);
  const items = ACCOUNTS.map(({ sub, name, email }) => {
    const link = withQuery("/google/choose", { ...query, as: sub }).replaceAll("&", "&amp;");
    return `<li><a href="${link}">${name}</a> ${email}</li>`;
  });
  return html`<!doctype html><html lang="en"><title>Choose an account</title><ul>${raw(items.join(""))}</ul></html>`;
});

app.get("/google/choose", (event) => {
  const { as, redirect_uri, state } = getQuery(event);
  const account = ACCOUNTS.find(({ sub }) => sub === as);
  if (!account || redirect_uri !== CALLBACK) throw HTTPError.status(400, "Unknown account or redirect_uri");
  const code = randomBytes(16).toString("hex");
  codes.set(code, account);
  return redirect(withQuery(CALLBACK, { code, state }));
});

app.get(CALLBACK, async (event) => {
  const { code, state } = getQuery(event);
  const begun = take(states, state);
  if (!begun || begun.expires < Date.now() || begun.binding !== getCookie(event, "sign_in"))
    throw HTTPError.status(400, "Invalid or expired state");
  const account = take(codes, code);
  if (!account) throw HTTPError.status(400, "Invalid code");
  const user = userOf(account);
  await append({ taken: state, user, session: { id: randomUUID(), user_id: user.id, at: new Date().toISOString() } });
  deleteCookie(event, "sign_in", { path: "/oauth" });
  return redirect(withQuery(begun.redirect_uri, { token: await signToken(user) }));
});

app.post("/api/v1/tokens/verify", async (event) => {
  if (event.req.headers.get("x-service-secret-key") !== secretKey) throw HTTPError.status(401, "Unauthorized");
  const { token } = await readBody(event);
  const verified = await jwtVerify(token, signingKey, { algorithms: ["HS256"], issuer: "svc" }).catch(() => undefined);
  if (!verified) throw HTTPError.status(401, "Token invalid");
  const user = users.get(verified.payload.sub);
  if (!user) throw HTTPError.status(404, "User not found");
  return { id: user.id, resource: "token", data: { ...user, valid: true, provider: verified.payload.provider } };
});

const { address } = await listen(toNodeHandler(app), { port: 0, hostname: "127.0.0.1", showURL: false });
process.stdout.write(`${JSON.stringify({ port: address.port, secret_key: secretKey })}\n`);
