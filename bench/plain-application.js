// An application's sign-in on svc's own packages, h3 and jose, each used as its documentation shows: it sends a browser to a
// provider, finds or creates its user, and brings a token, which it can verify. What is answered is on the disk.
import { randomBytes, randomUUID, subtle } from "node:crypto";
import { open } from "node:fs/promises";
import { deleteCookie, getCookie, getQuery, HTTPError, readBody, redirect, setCookie } from "h3";
import { jwtVerify, SignJWT } from "jose";

const REDIRECT_URIS = ["http://localhost:3000/callback"];
const STATE_SECONDS = 600;

/**
 * @param app of h3
 * @param options.provider its name
 * @param options.authorize the address and the parameters that a browser is sent to it with, beside the state
 * @param options.profileOf what the provider says of a code: `{ sub, name, email }`, or undefined
 * @returns the secret key
 */
export async function addApplication(app, { provider, authorize, profileOf }) {
  const secretKey = `sk_${randomBytes(32).toString("hex")}`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const signingKey = await subtle.importKey("raw", Buffer.from(secretKey), algorithm, false, ["sign", "verify"]);
  const append = await openJournal("plain.log");
  const states = new Map();
  /** By id. */
  const users = new Map();
  /** By the account at the provider. */
  const identities = new Map();

  /** The account's user, who is created at the first sign-in. */
  function userOf({ sub, name, email }) {
    const id = identities.get(sub) ?? randomUUID();
    const user = { id, email, name, created_at: new Date().toISOString(), ...users.get(id) };
    identities.set(sub, id);
    users.set(id, user);
    return user;
  }

  function signToken(user) {
    return new SignJWT({ email: user.email, name: user.name, provider })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer("svc")
      .setSubject(user.id)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(signingKey);
  }

  app.get("/oauth/authorize", async (event) => {
    const { provider: wanted, redirect_uri } = getQuery(event);
    if (wanted !== provider) throw HTTPError.status(400, "Unknown provider");
    if (!REDIRECT_URIS.includes(redirect_uri)) throw HTTPError.status(400, "Invalid redirect_uri");
    const state = randomBytes(32).toString("hex");
    const binding = randomBytes(32).toString("base64url");
    const record = { redirect_uri, binding, expires: Date.now() + STATE_SECONDS * 1000 };
    states.set(state, record);
    await append({ state, ...record });
    setCookie(event, "sign_in", binding, { path: "/oauth", maxAge: STATE_SECONDS, httpOnly: true, sameSite: "lax" });
    const { address, ...parameters } = authorize();
    return redirect(withQuery(address, { ...parameters, state }));
  });

  app.get(`/oauth/${provider}/callback`, async (event) => {
    const { code, state } = getQuery(event);
    const begun = take(states, state);
    if (!begun || begun.expires < Date.now() || begun.binding !== getCookie(event, "sign_in"))
      throw HTTPError.status(400, "Invalid or expired state");
    const account = await profileOf(code);
    if (!account) throw HTTPError.status(400, "Invalid code");
    const user = userOf(account);
    await append({ taken: state, user, session: { id: randomUUID(), user_id: user.id, at: new Date().toISOString() } });
    deleteCookie(event, "sign_in", { path: "/oauth" });
    return redirect(withQuery(begun.redirect_uri, { token: await signToken(user) }));
  });

  app.post("/api/v1/tokens/verify", async (event) => {
    if (event.req.headers.get("x-service-secret-key") !== secretKey) throw HTTPError.status(401, "Unauthorized");
    const { token } = await readBody(event);
    const options = { algorithms: ["HS256"], issuer: "svc" };
    const verified = await jwtVerify(token, signingKey, options).catch(() => undefined);
    if (!verified) throw HTTPError.status(401, "Token invalid");
    const user = users.get(verified.payload.sub);
    if (!user) throw HTTPError.status(404, "User not found");
    return { id: user.id, resource: "token", data: { ...user, valid: true, provider: verified.payload.provider } };
  });

  return secretKey;
}

/** @returns a function that resolves when its record is on the disk. Records that come meanwhile share the next write. */
async function openJournal(path) {
  const journal = await open(path, "w");
  let lines = "";
  let current = Promise.resolve();
  let next;

  async function flush() {
    const group = lines;
    lines = "";
    current = next;
    next = undefined;
    await journal.write(group);
    await journal.datasync();
  }

  return (record) => {
    lines += `${JSON.stringify(record)}\n`;
    next ??= current.then(flush);
    return next;
  };
}

/** An address with parameters added. */
export function withQuery(address, parameters) {
  return `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams(parameters)}`;
}

/** Removes a value as it is read, so that it counts once. */
export function take(map, key) {
  const value = map.get(key);
  map.delete(key);
  return value;
}
