import type { RunningServer } from "../../../server/index.ts";
import { isLoopback, isLoopbackUrl } from "../../../wire/http/address.ts";
import { announceServer } from "../../connection/running-server.ts";
import type { RunningServerFile } from "../../connection/server-file.ts";
import type { Context } from "../../context.ts";

/**
 * Announces a server to the commands of its directory, and keeps true what they read of it while instances come and go and
 * keys are replaced.
 * @returns beside what the announcement has, what writes the file again if something has changed
 */
export async function announce(context: Context, server: RunningServer, warn: (message: string) => void) {
  const now = context.now();
  const { update, withdraw, ...announcement } = await announceServer(context, fileOf(server, now));
  let known = JSON.stringify(fileOf(server, now));
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const file = fileOf(server, now);
    const text = JSON.stringify(file);
    if (isStopped || text === known) return;
    known = text;
    await update(file).catch(({ code }: NodeJS.ErrnoException) =>
      warn(`the server's file in .svc cannot be written (${code}): commands know old keys`),
    );
  };
  return {
    ...announcement,
    onChange: () => void (writing = writing.then(write)),
    async withdraw() {
      isStopped = true;
      await writing;
      await withdraw();
    },
  };
}

/** What commands need to know of a server, with the addresses where it listens: at its public one, another may. */
function fileOf(server: RunningServer, now: Date): RunningServerFile {
  const { port, certificate, identity_secret, control_key, instances } = server;
  const local = (subdomain: string): string =>
    new URL(`${certificate === undefined ? "http" : "https"}://${subdomain}localhost:${port}`).origin;
  return {
    pid: process.pid,
    port,
    started_at: now.toISOString(),
    url: local(""),
    api_url: local("api."),
    certificate,
    identity_secret,
    control_key,
    instances: instances.map(({ id, name, subdomain, publishable_key, secret_key, active, redirect_uris }) => ({
      id,
      name,
      subdomain,
      url: local(`${subdomain}.`),
      program_url: local(""),
      publishable_key,
      secret_key,
      active,
      redirect_uris,
    })),
  };
}

/** Where browsers and `fetch` connect to nothing (Fetch Standard, "bad port"), because other protocols live there. */
const BLOCKED: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** The warning about a port that browsers refuse. Undefined if they accept it. @param url its front door */
export function blockedPort(url: string): string | undefined {
  const { port } = new URL(url);
  if (!BLOCKED.has(Number(port))) return undefined;
  return `Browsers and fetch refuse port ${port} (ERR_UNSAFE_PORT). Choose another port, such as 7820, with --port.`;
}

/** The public URL as a QR code in lines of text, if a phone could reach the server there. */
export async function qrCodeOf({ url, bound }: RunningServer): Promise<string | undefined> {
  const isBeyond = bound.some((address) => !isLoopback(address.replace(/:\d+$/, "").replace(/^\[|\]$/g, "")));
  return isBeyond && !isLoopbackUrl(url) ? (await import("uqr")).renderUnicodeCompact(url) : undefined;
}
