// The sign-in of `emulate` (https://github.com/vercel-labs/emulate), which one might pick instead: with an application beside
// it that does what svc does, and GitHub's own side alone, in memory, with no token and nothing between it and its caller.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { APP, Connection, keyHeaders, pathOf } from "./flow.js";
import { start } from "./server.js";

const VERSION = "0.12.2";

/** It answers 5,000 anonymous requests an hour, and a sign-in has three of them. Those of an application count, too. */
const AN_HOUR = 1_600;
const SIGNAL_MS = 100;

/** It is installed into `directory` and nowhere else. @returns a server, or why there is none */
export async function startEmulate(directory) {
  if (Number(process.versions.node.split(".")[0]) < 24) return { missing: "emulate needs Node 24" };
  const cwd = join(directory, "emulate");
  await mkdir(cwd);
  await writeFile(join(cwd, "package.json"), '{ "name": "bench-emulate", "private": true }');
  const install = ["install", `emulate@${VERSION}`, "--no-audit", "--no-fund", "--ignore-scripts"];
  try {
    await promisify(execFile)("npm", install, { cwd });
  } catch {
    return { missing: `npm could not install emulate@${VERSION}` };
  }
  const server = await start([new URL("emulate-server.js", import.meta.url).pathname], cwd);
  const common = {
    ...server,
    most: AN_HOUR,
    /** For its clock, an hour passes. */
    async beforeRound() {
      process.kill(server.pid, "SIGUSR2");
      await delay(SIGNAL_MS);
    },
  };
  const { application, secret_key: key } = server.ready;
  return {
    ...common,
    signIn: signInAtEmulate,
    whole: { ...common, key, signIn: (connection, options) => signInThrough(connection, application, options) },
  };
}

/** The connections to the application, by those to GitHub. */
const besides = new WeakMap();

/** From the application to GitHub's picker, a choice, back to the application, and the verification of its token. */
async function signInThrough(connection, port, { key, account }) {
  const application = besides.get(connection) ?? new Connection(port);
  besides.set(connection, application);
  connection.onClose ??= () => application.close();
  const begun = await application.request(
    "GET",
    `/oauth/authorize?provider=github&redirect_uri=${encodeURIComponent(APP)}`,
  );
  const chosen = await choose(connection, pathOf(begun.location), account);
  const { location } = await application.request("GET", pathOf(chosen.location));
  const token = new URL(location).searchParams.get("token");
  const asked = JSON.stringify({ token });
  const { status, body } = await application.request("POST", "/api/v1/tokens/verify", keyHeaders(key), asked);
  if (status !== 200) throw new Error(`${status}: ${body}`);
}

const FORM = "Content-Type: application/x-www-form-urlencoded\r\n";

/** Start with the picker, choice, code for token, profile, addresses. */
async function signInAtEmulate(connection, { account }) {
  const address = `/login/oauth/authorize?client_id=bench&redirect_uri=${encodeURIComponent(APP)}&scope=user%3Aemail&state=${account}`;
  const chosen = await choose(connection, address, account);
  const code = new URL(chosen.location).searchParams.get("code") ?? "";
  const exchange = new URLSearchParams({ client_id: "bench", client_secret: "bench-secret", code, redirect_uri: APP });
  const headers = `${FORM}Accept: application/json\r\n`;
  const reply = await connection.request("POST", "/login/oauth/access_token", headers, exchange.toString());
  const bearer = `Authorization: Bearer ${JSON.parse(reply.body).access_token}\r\n`;
  for (const path of ["/user", "/user/emails"]) {
    const { status, body } = await connection.request("GET", path, bearer);
    if (status !== 200) throw new Error(`${path}: ${status} ${body.slice(0, 200)}`);
  }
}

/** Chooses an account at the picker. @returns the redirect to the client */
async function choose(connection, address, account) {
  const picker = await connection.request("GET", address);
  const forms = [...picker.body.matchAll(/<form class="user-form".*?<\/form>/gs)].map(([form]) => form);
  const form = new URLSearchParams();
  for (const [, name, value] of (forms[account % forms.length] ?? "").matchAll(/name="([^"]*)" value="([^"]*)"/g))
    form.set(name, value);
  return connection.request("POST", "/login/oauth/callback", FORM, form.toString());
}
