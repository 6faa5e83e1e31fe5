// The sign-in of `emulate` (https://github.com/vercel-labs/emulate), which one might pick instead: GitHub's own side
// alone, in memory, with no service between it and the application and no token of its own.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { APP, signIns } from "./flow.js";
import { start } from "./server.js";

const VERSION = "0.12.2";

/** Each of its processes answers 5,000 anonymous requests an hour, and a sign-in has three of them. */
const WARM_UP = 500;
const MEASURED = 1_000;

/** It is installed into `directory` and nowhere else. @returns what measures one round of it, or why nothing does */
export async function installEmulate(directory) {
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
  return {
    async rate() {
      const server = await start([new URL("emulate-server.js", import.meta.url).pathname], cwd);
      try {
        const options = { port: server.port, signIn: signInAtEmulate, seconds: 60 };
        await signIns({ ...options, most: WARM_UP });
        return await signIns({ ...options, most: MEASURED });
      } finally {
        await server.stop();
      }
    },
  };
}

const FORM = "Content-Type: application/x-www-form-urlencoded\r\n";

/** Start with the picker, choice, code for token, profile, addresses. */
async function signInAtEmulate(connection, _key, account) {
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
