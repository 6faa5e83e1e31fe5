// Below the faces: what bundlers take for other runtimes.
import { createContext, runInContext } from "node:vm";
import { build, type BuildResult } from "esbuild";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient, type Client, type Fetch } from "../../src/client/index.ts";
import { createClient as createPortableClient } from "../../src/client/portable.ts";
import { VERSION } from "../../src/wire/version.ts";
import { caught, clientWith, KEY, startServer } from "../_client.ts";

afterEach(() => vi.unstubAllGlobals());

const ROOT = new URL("../..", import.meta.url).pathname;
const UMLAUTS = [{ id: "1", resource: "user", data: { name: "Zoë".repeat(20_000) } }];

/** For a runtime that has none of Node's modules, as a bundler of a worker or a page does it. */
async function bundle(contents: string): Promise<BuildResult<{ write: false; metafile: true }>> {
  const stdin = { contents, resolveDir: ROOT, loader: "ts" as const };
  const shared = { bundle: true, minify: true, platform: "browser", format: "iife", globalName: "svc" } as const;
  return build({ ...shared, stdin, write: false, metafile: true, logLevel: "silent" });
}

describe("The client for runtimes without Node's modules", () => {
  const ENTRY = 'export * from "./src/client/portable.ts";';

  it("is bundled without them, and without undici", async () => {
    const { metafile, outputFiles } = await bundle(ENTRY);
    expect(Object.keys(metafile.inputs).filter((path) => /undici|node:|on-node/.test(path))).toEqual([]);
    expect(outputFiles[0]!.contents.length).toBeLessThan(60_000);
  });

  it("works with the globals of a worker alone, which has no Buffer and no process", async () => {
    const { origin, seen } = await startServer((_, response) => void response.end(JSON.stringify(UMLAUTS)));
    const { outputFiles } = await bundle(ENTRY);
    const { fetch, URL, URLSearchParams, TextDecoder, AbortController, DOMException, performance } = globalThis;
    const web = { fetch, URL, URLSearchParams, TextDecoder, AbortController, DOMException, performance };
    const worker = createContext({ ...web, setTimeout, clearTimeout, crypto });
    runInContext(outputFiles[0]!.text, worker);
    const svc = runInContext("svc", worker) as { createClient: typeof createPortableClient };
    const client = svc.createClient({ secretKey: KEY, baseUrl: origin });
    expect(await client.users.list()).toEqual(UMLAUTS);
    expect(await caught(client.users.get("1"))).toMatchObject({ name: "ConfigError", code: "config" });
    expect(seen.map(({ headers }) => headers["user-agent"])).toEqual(["node"]);
  });

  it("reads a stream that can't be iterated, as in some browsers", async () => {
    const stream = new Response(JSON.stringify(UMLAUTS)).body!;
    const body = { getReader: () => stream.getReader() };
    const fetch: Fetch = async () => ({ status: 200, headers: new Headers(), body, text: async () => "" });
    expect(await clientWith(fetch).users.list()).toEqual(UMLAUTS);
  });

  it("says what is missing: a fetch, or one that trusts the certificate", async () => {
    const options = { secretKey: KEY, baseUrl: "https://acme.svc.test" };
    expect(() => createPortableClient({ ...options, certificate: "PEM" })).toThrow(
      "certificate needs Node.js or Deno. Elsewhere, pass a fetch of your own that trusts it",
    );
    vi.stubGlobal("fetch", undefined);
    expect(await caught(createPortableClient(options).users.list())).toMatchObject({
      name: "ConfigError",
      message: "There is no fetch here. Pass one in the options of createClient",
    });
  });
});

it("The client sends by Bun's own fetch on Bun, whose undici is a stub", async () => {
  const sent: [url: string, agent: unknown][] = [];
  vi.stubGlobal("Bun", {});
  vi.stubGlobal("fetch", async (url: string, { headers }: { headers: Record<string, string> }) => {
    sent.push([url, headers["user-agent"]]);
    return Response.json([]);
  });
  const client: Client = createClient({ secretKey: KEY, baseUrl: "http://acme.localhost:7820" });
  expect(await client.users.list()).toEqual([]);
  await client.close();
  expect(sent).toEqual([["http://acme.localhost:7820/api/v1/users", `svc-identity/${VERSION} (client)`]]);
});

it("Verification alone takes less than 26 kB of a bundle, and nothing of Node's", async () => {
  const { metafile, outputFiles } = await bundle('export { verifyToken } from "./src/client/verify.ts";');
  expect(Object.keys(metafile.inputs).filter((path) => /undici|node:/.test(path))).toEqual([]);
  expect(outputFiles[0]!.contents.length).toBeLessThan(26_000);
});
