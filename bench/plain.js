// A sign-in service on svc's own packages, h3, jose and listhen, each used as its documentation shows and nothing else:
// the limit that svc is compared with. Google is simulated in the same process, as in svc.
import { randomBytes } from "node:crypto";
import { getQuery, H3, html, HTTPError, raw, redirect, toNodeHandler } from "h3";
import { listen } from "listhen";
import { addApplication, take, withQuery } from "./plain-application.js";

const CALLBACK = "/oauth/google/callback";
const ACCOUNTS = ["ada", "alan", "grace", "mary", "charles", "hedy"].map((name, index) => ({
  sub: String(1000 + index),
  name,
  email: `${name}@acme.test`,
}));

const codes = new Map();
const app = new H3();
const secret_key = await addApplication(app, {
  provider: "google",
  authorize: () => ({ address: "/google/authorize", redirect_uri: CALLBACK }),
  profileOf: (code) => take(codes, code),
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

const { address } = await listen(toNodeHandler(app), { port: 0, hostname: "127.0.0.1", showURL: false });
process.stdout.write(`${JSON.stringify({ port: address.port, secret_key })}\n`);
