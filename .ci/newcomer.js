// Does what a newcomer does in a fresh clone: the README's first command, a sign-in, Ctrl-C, and the README's second command.
// With --littered whatever a machine may have when the tests start is there by then, and must not decide one of them.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const [first, second] = readFileSync("README.md", "utf8").match(/^npm ci && npm (?:start|test)$/gm);
const config = "svc.config.json";
const key = "sk_elsewhere_0123456789abcdefghijklmnopqrstuvwxyz";

const data = mkdtempSync(join(tmpdir(), "svc-data-"));

const children = [];
process.once("exit", () => children.forEach((child) => child.kill()));

function start(program, ...args) {
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, SVC_DATA_DIR: data },
  });
  children.push(child);
  return child;
}

/** Shows the output of a program. Resolves with what the pattern finds in it. */
function shown(child, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
    child.stdout.on("data", (piece) => {
      process.stdout.write(piece);
      text += piece;
      const found = pattern.exec(stripVTControlCharacters(text));
      if (found) resolve(found[1]);
    });
  });
}

/** Follows a sign-in to its end as a browser does, with Ada chosen. @returns the application's address, with the token */
async function signIn(address, cookies = []) {
  const url = new URL(address);
  if (url.pathname.endsWith("/authorize")) url.searchParams.set("login_hint", "ada");
  const response = await fetch(url, { redirect: "manual", headers: { cookie: cookies.join("; ") } });
  const location = response.headers.get("location");
  if (location === null) throw new Error(`${url.href} answered ${response.status}`);
  const next = new URL(location, url);
  if (next.searchParams.has("token")) return next;
  const set = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  return signIn(next, [...cookies, ...set]);
}

async function firstCommand() {
  console.log(`$ ${first}`);
  const terminal = start("script", "-qfec", first, "/dev/null");
  const address = await shown(terminal, /Sign in at +(http:\S+)[^]*Then try/);
  const { searchParams } = await signIn(address);
  console.log(`Signed in: ${Buffer.from(searchParams.get("token").split(".")[1], "base64url").toString()}`);
  const ended = once(terminal, "exit");
  terminal.stdin.write("\x03");
  await ended;
  const left = readdirSync(data, { recursive: true }).filter((name) => /servers\/|\.lock/.test(name));
  if (left.length > 0) throw new Error(`Ctrl-C left ${left.join(", ")} in ${data}`);
  if (await fetch(address).catch(() => false)) throw new Error("Ctrl-C did not end the server");
}

const serve = (...args) => start(process.execPath, "bin/svc.js", "serve", "--store", "memory", ...args);

/** What a machine may have. @returns the environment, and how to remove it all */
async function litter() {
  const home = mkdtempSync(join(tmpdir(), "svc-litter-"));
  const npm = (name) => execFileSync("npm", ["config", "get", name], { encoding: "utf8" }).trim();
  const ownNpm = { npm_config_cache: npm("cache"), npm_config_userconfig: npm("userconfig") };
  const killed = serve("--port", "0");
  await shown(killed, /(Then try)/);
  killed.kill("SIGKILL");
  await shown(serve(), /(Then try)/);
  const login = ["login", "--no-check", "--insecure-storage", "--base-url", "https://elsewhere.test"];
  execFileSync(process.execPath, ["bin/svc.js", ...login], { input: key, env: { HOME: home } });
  const help = execFileSync(process.execPath, ["bin/svc.js", "help", "environment"], { encoding: "utf8" });
  const nonsense = help.match(/\bSVC_[A-Z_]+\b/g).map((name) => [name, "nonsense"]);
  writeFileSync(config, '{ "port": "nonsense" }', { flag: "wx" });
  const places = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), XDG_CACHE_HOME: join(home, ".cache") };
  const settings = { FORCE_COLOR: "3", NODE_OPTIONS: "--enable-source-maps", TZ: "Pacific/Apia" };
  return {
    env: { ...process.env, ...ownNpm, ...Object.fromEntries(nonsense), ...places, ...settings },
    clear: () => [config, data, home].forEach((path) => rmSync(path, { recursive: true, force: true })),
  };
}

await firstCommand();
const { env, clear } = process.argv.includes("--littered") ? await litter() : { env: process.env, clear() {} };
console.log(`$ ${second}`);
const [code] = await once(spawn("sh", ["-c", second], { env, stdio: "inherit" }), "exit");
clear();
process.exit(code ?? 1);
