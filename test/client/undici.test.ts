// Below the faces: which address undici asks for a name, and how it gives up.
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { HAS_IPV6, possible } from "../_ipv6.ts";
import { createUndiciFetch } from "../../src/client/on-node/undici.ts";
import { loadUndici } from "../../src/network/agent.ts";
import { portOf } from "../_port-of.ts";

/** A server on one local address that answers with the requested host name. */
async function serverAt(host: string): Promise<number> {
  return portOf(
    createServer((request, response) => response.end(request.headers.host)),
    host,
  );
}

describe("undici", () => {
  it.each(possible(["127.0.0.1", "::1"]))("A name below localhost is requested at %s under that name", async (host) => {
    const port = await serverAt(host);
    const { fetch } = createUndiciFetch(loadUndici);
    const response = await fetch(`http://acme.localhost:${port}/`, { redirect: "manual" });
    expect(await response.text()).toBe(`acme.localhost:${port}`);
  });

  it.skipIf(!HAS_IPV6)("An IPv6 address is requested as written", async () => {
    const port = await serverAt("::1");
    const response = await createUndiciFetch(loadUndici).fetch(`http://[::1]:${port}/`, { redirect: "manual" });
    expect(await response.text()).toBe(`[::1]:${port}`);
  });

  it("A local port where nothing listens gives ECONNREFUSED", async () => {
    const port = await serverAt("127.0.0.1");
    const { fetch } = createUndiciFetch(loadUndici);
    // Nothing can listen at port 0.
    await expect(fetch(`http://localhost:0/`, { redirect: "manual" })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:ECONNREFUSED|EADDRNOTAVAIL)$/) as string,
    });
    expect((await fetch(`http://localhost:${port}/`, { redirect: "manual" })).status).toBe(200);
  });

  it("An aborted request is rejected with the reason of its signal", async () => {
    const port = await serverAt("127.0.0.1");
    const aborted = AbortSignal.abort();
    await expect(
      createUndiciFetch(loadUndici).fetch(`http://localhost:${port}/`, { redirect: "manual", signal: aborted }),
    ).rejects.toThrow(/aborted/);
  });
});
