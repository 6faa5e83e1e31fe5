// `emulate`'s GitHub, from the directory that it was installed in, with as many accounts as svc has in the comparison; and in
// the same process, as in svc, an application that signs its users in there.
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { H3, toNodeHandler } from "h3";
import { listen } from "listhen";
import { addApplication } from "./plain-application.js";

// By this clock its limit of requests begins again each hour, and a code lives for ten minutes: hours pass between rounds.
const { now } = Date;
let hours = 0;
Date.now = () => now() + hours * 3_600_000;
process.on("SIGUSR2", () => hours++);

const client = { client_id: "bench", client_secret: "bench-secret" };
let github;
let callback;

/** As GitHub's documentation has it: a code for a token, and this for the profile and the addresses. */
async function profileOf(code) {
  const body = new URLSearchParams({ ...client, code, redirect_uri: callback });
  const accept = { accept: "application/json" };
  const token = await fetch(`${github}/login/oauth/access_token`, { method: "POST", body, headers: accept });
  const { access_token } = await token.json();
  if (access_token === undefined) return undefined;
  const headers = { ...accept, authorization: `Bearer ${access_token}` };
  const { id, name } = await (await fetch(`${github}/user`, { headers })).json();
  const emails = await (await fetch(`${github}/user/emails`, { headers })).json();
  return { sub: String(id), name, email: emails.find(({ primary, verified }) => primary && verified).email };
}

const app = new H3();
const secret_key = await addApplication(app, {
  provider: "github",
  authorize: () => ({
    address: `${github}/login/oauth/authorize`,
    client_id: client.client_id,
    redirect_uri: callback,
    scope: "user:email",
  }),
  profileOf,
});
const { address } = await listen(toNodeHandler(app), { port: 0, hostname: "127.0.0.1", showURL: false });
callback = `http://127.0.0.1:${address.port}/oauth/github/callback`;

const { createEmulator } = await import(pathToFileURL(join(process.cwd(), "node_modules/emulate/dist/api.js")).href);
const redirect_uris = ["http://localhost:3000/callback", callback];
const users = ["ada", "alan", "grace", "mary", "charles", "hedy"].map((login) => ({
  login,
  name: login,
  email: `${login}@acme.test`,
}));
const seed = { github: { users, oauth_apps: [{ ...client, name: "Bench", redirect_uris }] } };
const { url } = await createEmulator({ service: "github", port: 0, seed });
github = url;
process.stdout.write(`${JSON.stringify({ port: Number(new URL(url).port), application: address.port, secret_key })}\n`);
