import { randomBytes } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { isIP, type AddressInfo } from "node:net";
import { isLoopbackUrl, urlFrom } from "../../../http/address.ts";
import { isWebSocketHandshake } from "../../../http/headers.ts";
import { addressIn, ANY_QUERY, withoutWildcard } from "../../../wire/redirect-uri.ts";
import { CliError, EXIT } from "../../errors.ts";
import { inOneLine } from "../../failure.ts";

/** What allows this command in an instance's `redirect_uris`: loopback matches with any port, `?*` any query. */
export const OWN_ENTRY = "http://127.0.0.1/svc-sign-in?*";

/**
 * Acts as the application, on this machine. Listens at an address to which the service may return a user: at a loopback
 * address that the instance lists, on a port of its own (RFC 8252, 7.3), else at an address that can't be guessed.
 * @param signal closes it
 * @returns that address, and the token; the promise rejects if the sign-in failed
 */
export async function openLanding(
  redirect_uris: readonly string[],
  signal: AbortSignal,
): Promise<{ url: string; token: Promise<string> }> {
  const entry = entryFor(redirect_uris);
  const own = new URL(withoutWildcard(entry));
  // Other programs and pages of this machine may know the path.
  if (entry.endsWith(ANY_QUERY)) own.searchParams.set("state", randomBytes(16).toString("hex"));
  let receive!: (address: URL) => void;
  const token = new Promise<URL>((resolve) => (receive = resolve)).then(tokenOf);
  token.catch(() => undefined);
  own.port = String(
    await listen(hostsOf(own), signal, (request, response) => {
      // Anybody on this machine may send what is not an address, such as "//[".
      const sent = `http://127.0.0.1${request.url ?? "/"}`;
      const address = urlFrom(sent);
      // A page that asks in the background was not sent here by the service.
      const { "sec-fetch-dest": asks = "document" } = request.headers;
      const isNavigation = asks === "document" && !isWebSocketHandshake((name) => request.headers[name]?.toString());
      const isUser = isNavigation && address?.searchParams.get("state") === own.searchParams.get("state");
      if (address?.pathname !== own.pathname || !isUser) return void response.writeHead(404).end();
      const message = address.searchParams.has("token")
        ? "Signed in. You can close this page and go back to the terminal."
        : "Not signed in. The terminal shows the reason.";
      const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
      response.writeHead(200, { ...headers, "referrer-policy": "no-referrer", connection: "close" });
      response.end(`${message}\n`, () => receive(address));
    }),
  );
  return { url: own.href, token };
}

/** The token of the address that a user was sent back to. @throws {CliError} for an error instead of one */
export function tokenOf({ searchParams }: URL): string {
  const token = searchParams.get("token");
  if (token) return token;
  throw new CliError(
    EXIT.failed,
    `Not signed in: ${inOneLine(searchParams.get("error") ?? "the service sent no token")}.`,
    searchParams.get("error_description") ?? undefined,
  );
}

/** The entry of `redirect_uris` to listen at. One that takes any query is preferred: its address can't be guessed. */
function entryFor(redirect_uris: readonly string[]): string {
  const local = redirect_uris.filter((entry) => /^http:/i.test(entry) && addressIn(entry) && isLoopbackUrl(entry));
  return local.find((entry) => entry.endsWith(ANY_QUERY)) ?? local[0] ?? OWN_ENTRY;
}

/** A browser tries both addresses of a name, and another program could listen at the one that is left. */
function hostsOf({ hostname }: URL): readonly string[] {
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) ? [address] : ["127.0.0.1", "::1"];
}

/** @returns the port, which is the same at all hosts that this machine has */
async function listen(hosts: readonly string[], signal: AbortSignal, answer: RequestListener): Promise<number> {
  let port = 0;
  for (const host of hosts) {
    const server = createServer(answer);
    const isOpen = await new Promise<boolean>((resolve, reject) => {
      server.once("error", ({ code }: NodeJS.ErrnoException) => {
        const isMissing = code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT";
        if (isMissing && port !== 0) resolve(false);
        else reject(new Error(`listen ${host}: ${code}`));
      });
      server.listen(port, host, () => resolve(true));
    });
    if (!isOpen) continue;
    port = (server.address() as AddressInfo).port;
    const close = (): void => server.close().closeAllConnections();
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  }
  return port;
}
