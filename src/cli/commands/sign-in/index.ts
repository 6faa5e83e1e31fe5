import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fetch } from "../../../wire/fetch.ts";
import { PROVIDERS, isProvider, type Provider } from "../../../wire/names.ts";
import type { GlobalFlags } from "../../connection/client-options.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { relative } from "../../output/format.ts";
import { withHelp } from "../../help/with-help.ts";
import { printJson, printRecord } from "../../output/text.ts";
import type { Program } from "../../program.ts";
import { openClient, openFetch } from "../../connection/client.ts";

const MAX_HOPS = 5;

interface SignInFlags {
  readonly provider?: string;
  readonly as?: string;
  readonly open: boolean;
  readonly token?: boolean;
  readonly timeout: string;
}

export function addSignIn(program: Program, context: Context): void {
  const signIn = program
    .command("sign-in")
    .option("--provider <name>", `${PROVIDERS.join(", ")}; otherwise the instance's default`)
    .option("--as <account>", "suggest an account: with simulated providers its e-mail address signs in at once")
    .option("--no-open", "do not open a browser; the link is printed")
    .option("--token", "print the token alone, to be piped on")
    .option("--timeout <seconds>", "how long to wait for the sign-in", "300")
    .action(async (own: SignInFlags) => {
      const flags = program.opts<GlobalFlags>();
      const provider = checkProvider(own.provider);
      if (own.as === "") throw new CliError(EXIT.usage, "--as was given nothing.", "Was a variable empty?");
      const seconds = checkTimeout(own.timeout);
      const stopped = context.untilSignal();
      const client = await openClient(context, flags);
      const landing = await openLanding();
      try {
        const url = await client.signInUrl({
          redirectUri: landing.url,
          ...(provider && { provider }),
          ...(own.as && { loginHint: own.as }),
        });
        const isDone = await enter(url, landing, own.as, await openFetch(context, flags));
        if (!isDone) context.stderr.write(`Sign in at:\n  ${url}\nWaiting for it; Ctrl-C ends that.\n`);
        if (!isDone && own.open)
          await context
            .openBrowser(url)
            .catch(() => context.stderr.write("No browser could be opened; follow the link by hand.\n"));
        const token = await withDeadline(landing.token, seconds, stopped);
        const [{ decodeToken }] = await Promise.all([import("../../../client/verify.ts"), client.tokens.verify(token)]);
        const { claims } = decodeToken(token);
        if (own.token) context.stdout.write(`${token}\n`);
        else if (flags.json) printJson(context, claims);
        else printRecord(context, readable(claims, context));
      } finally {
        landing.close();
      }
    });
  withHelp(signIn, {
    examples: [
      ["svc sign-in --provider github", "in a browser"],
      ["svc sign-in --as ada@acme.test --token", "in a script, without a browser"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.noKey, EXIT.tokenInvalid, EXIT.unreachable, EXIT.interrupted],
    notes: "Simulated providers need no browser for an account that they know.",
  });
}

/**
 * Asks for the sign-in as a browser would, so that what is refused is said here. With an account named it goes on
 * through simulated providers, which then need no browser, and nowhere else.
 * @returns whether the landing was reached
 */
async function enter(url: string, landing: Landing, account: string | undefined, fetch: Fetch): Promise<boolean> {
  let address = url;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const response = await fetch(address, { method: "GET", headers: { accept: "application/json" } });
    const next = response.headers.get("location");
    const text = await response.text();
    if (next === null && hop === 0)
      throw new CliError(EXIT.failed, `The service refused: ${errorOf(text)}.`, hintOf(text, landing.url));
    if (next === null || account === undefined) return false;
    if (next.startsWith(landing.url)) {
      landing.receive(new URL(next));
      return true;
    }
    if (!isOwnStep(next, url)) return false;
    if (new URL(next).searchParams.has("request"))
      throw new CliError(
        EXIT.notFound,
        `The simulated provider knows no account "${account}".`,
        "Leave out --as, and choose one in the browser; a seed's personas say who they are.",
      );
    address = next;
  }
  return false;
}

/** Whether an address is a step of the service itself, which no person need see; its simulator may be at the front door. */
function isOwnStep(next: string, url: string): boolean {
  const { hostname, port, pathname } = new URL(next);
  const own = new URL(url);
  const isOwn = port === own.port && (hostname === own.hostname || own.hostname.endsWith(`.${hostname}`));
  return isOwn && /^\/(__svc\/simulator|oauth)\//.test(pathname);
}

function errorOf(text: string): string {
  try {
    return (JSON.parse(text) as { error: string }).error;
  } catch {
    return text.slice(0, 200);
  }
}

function hintOf(text: string, landing: string): string | undefined {
  return text.includes("Invalid redirect_uri")
    ? `This command is sent back to an address such as ${landing}, and the instance takes none but its redirect_uris. Sign in from your application, or take redirect_uris out of the seed.`
    : undefined;
}

interface Landing {
  readonly url: string;
  readonly token: Promise<string>;
  /** Takes the address that a user was sent back to. */
  receive(address: URL): void;
  close(): void;
}

/** Stands in for an application: an address on this machine that nobody can guess, for one visit. */
async function openLanding(): Promise<Landing> {
  const path = `/${randomBytes(16).toString("hex")}`;
  let receive!: (address: URL) => void;
  const token = new Promise<string>((resolve, reject) => {
    receive = ({ searchParams }) => {
      const found = searchParams.get("token");
      if (found) resolve(found);
      else reject(refused(searchParams.get("error"), searchParams.get("error_description")));
    };
  });
  token.catch(() => undefined);
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? "/", "http://127.0.0.1");
    if (address.pathname !== path) return void response.writeHead(404).end();
    const message = address.searchParams.has("token")
      ? "Signed in. You can close this page and go back to the terminal."
      : "Not signed in. The terminal says why.";
    const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
    response.writeHead(200, { ...headers, "referrer-policy": "no-referrer", connection: "close" });
    response.end(`${message}\n`, () => receive(address));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    token,
    receive,
    close: () => server.close().closeAllConnections(),
  };
}

function refused(error: string | null, description: string | null): CliError {
  return new CliError(EXIT.failed, `Not signed in: ${error ?? "the service sent no token"}.`, description ?? undefined);
}

async function withDeadline(
  token: Promise<string>,
  seconds: number,
  stopped: Promise<"SIGINT" | "SIGTERM">,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new CliError(
            EXIT.unreachable,
            `Nobody signed in within ${seconds} seconds.`,
            "Give it longer with --timeout.",
          ),
        ),
      seconds * 1000,
    );
  });
  const ended = stopped.then((signal) => {
    throw new CliError(signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated, "Interrupted; nobody was signed in.");
  });
  try {
    return await Promise.race([token, late, ended]);
  } finally {
    clearTimeout(timer);
  }
}

function checkProvider(name: string | undefined): Provider | undefined {
  if (name !== undefined && !isProvider(name))
    throw new CliError(EXIT.usage, `--provider: "${name}" is not a provider.`, `Use one of ${PROVIDERS.join(", ")}.`);
  return name;
}

function checkTimeout(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1) throw new CliError(EXIT.usage, `--timeout: "${text}" is not a number of seconds.`);
  return seconds;
}

function readable(claims: object, context: Context): Record<string, string> {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => {
      if (name !== "iat" && name !== "exp") return [name, String(value)];
      const iso = new Date(Number(value) * 1000).toISOString();
      return [name, `${String(value)} (${relative(iso, context.now())})`];
    }),
  );
}
