import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";

export interface Landing {
  readonly url: string;
  readonly token: Promise<string>;
  /** Takes the address that a user was sent back to. */
  receive(address: URL): void;
  close(): void;
}

/** Stands in for an application: an address on this machine that cannot be guessed, for one visit. */
export async function openLanding(): Promise<Landing> {
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
    // Anybody on this machine may send what is not an address, such as "//[".
    const sent = `http://127.0.0.1${request.url ?? "/"}`;
    const address = URL.canParse(sent) ? new URL(sent) : undefined;
    if (address?.pathname !== path) return void response.writeHead(404).end();
    const message = address.searchParams.has("token")
      ? "Signed in. You can close this page and go back to the terminal."
      : "Not signed in. The terminal shows the reason.";
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
