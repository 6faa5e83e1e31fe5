// The sign-in of `emulate` (https://github.com/vercel-labs/emulate), which one might pick instead: GitHub's own side
// alone, in memory, with no service between it and the application and no token of its own.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { APP } from "./flow.js";
import { start } from "./server.js";

const VERSION = "0.12.2";

/** It answers 5,000 anonymous requests an hour, and a sign-in has three of them. */
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
  return {
    ...server,
    signIn: signInAtEmulate,
    most: AN_HOUR,
    /** For its clock, an hour passes. */
    async beforeRound() {
      process.kill(server.pid, "SIGUSR2");
      await delay(SIGNAL_MS);
    },
  };
}

const FORM = "Content-Type: application/x-www-form-urlencoded\r\n";

/** Start with the picker, choice, code for token, profile, addresses. */
async function signInAtEmulate(connection, { account }) {
  const address = `/login/oauth/authorize?client_id=bench&redirect_uri=${encodeURIComponent(APP)}&scope=user%3Aemail&state=${account}`;
  const picker = await connection.request("GET", address);
  const forms = [...picker.body.matchAll(/<form class="user-form".*?<\/form>/gs)].map(([form]) => form);
  const form = new URLSearchParams();
  for (const [, name, value] of (forms[account % forms.length] ?? "").matchAll(/name="([^"]*)" value="([^"]*)"/g))
    form.set(name, value);
  const chosen = await connection.request("POST", "/login/oauth/callback", FORM, form.toString());
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
