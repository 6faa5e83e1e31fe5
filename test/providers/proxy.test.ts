// Below the faces: the variables of a proxy for one service of a process.

import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { createProviderFetch } from "../../src/server/providers/fetch.ts";
import { locationOf } from "../_answers.ts";
import { APP, setup, type Service } from "../_setup.ts";
import { realGithub } from "./_github.ts";
import { portOf } from "../_port-of.ts";

/** A server that answers as GitHub, and with which names it was asked. */
async function github(): Promise<{ port: number; hosts: string[] }> {
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host!);
    realGithub.answers[request.url!.split("?")[0]!]!(response, {} as never);
  });
  return { port: await portOf(server), hosts };
}

/** A proxy, and what it was asked to connect to. */
async function proxyOf(
  onConnect: (socket: Duplex, request: IncomingMessage) => void,
): Promise<{ address: string; connects: string[] }> {
  const connects: string[] = [];
  const server = createServer().on("connect", (request: IncomingMessage, socket: Duplex) => {
    connects.push(request.url!);
    socket.on("error", () => socket.destroy());
    onConnect(socket, request);
  });
  return { address: `http://user:hush@127.0.0.1:${await portOf(server)}`, connects };
}

/** One that passes everything on to a port of this machine. */
const tunnelTo =
  (port: number) =>
  (socket: Duplex): void => {
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
  };

/** A service whose GitHub is at a host, and that reads the variables of an environment. */
function serviceAt(host: string, env: Record<string, string>): Promise<Service> {
  const endpoints = Object.fromEntries(
    Object.entries(realGithub.endpoints).map(([name, path]) => [name, `http://${host}${path}`]),
  );
  const credentials = { github: { client_id: "id", client_secret: "hush", endpoints } };
  return setup({ credentials, fetch: createProviderFetch(env) });
}

/** What a sign-in at GitHub returns to the application. */
async function result(service: Service): Promise<URLSearchParams> {
  const query = new URLSearchParams({ provider: "github", redirect_uri: APP });
  const begun = locationOf(await service.fetch(`/oauth/authorize?${query.toString()}`));
  const callback = `/oauth/github/callback?code=c&state=${begun.searchParams.get("state")}`;
  return locationOf(await service.fetch(callback)).searchParams;
}

describe("The requests to a provider", () => {
  it("go through the proxy that HTTP_PROXY names, and none to what NO_PROXY has", async () => {
    const { port, hosts } = await github();
    const { address, connects } = await proxyOf(tunnelTo(port));
    const service = await serviceAt("github.invalid", { HTTP_PROXY: address });
    expect([...(await result(service)).keys()]).toEqual(["token"]);
    expect([new Set(connects), new Set(hosts)]).toEqual([new Set(["github.invalid:80"]), new Set(["github.invalid"])]);
    const direct = await serviceAt("github.invalid", { HTTP_PROXY: address, NO_PROXY: ".invalid" });
    expect((await result(direct)).get("error")).toBe("temporarily_unavailable");
    expect(direct.log.failures).toEqual([expect.stringContaining("could not be reached. Check the network")]);
  });

  it("never go through one to this machine", async () => {
    const { port, hosts } = await github();
    const { address, connects } = await proxyOf((socket) => socket.destroy());
    const env = { HTTP_PROXY: address, HTTPS_PROXY: address };
    for (const host of [`127.0.0.1:${port}`, `github.localhost:${port}`])
      expect([...(await result(await serviceAt(host, env))).keys()]).toEqual(["token"]);
    expect([hosts.length > 0, connects]).toEqual([true, []]);
  });

  it.each<[what: string, onConnect: (socket: Duplex) => void, why: string]>([
    ["refuses", (socket) => void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"), "407"],
    ["has no way", (socket) => void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"), "502"],
    ["hangs up", (socket) => void socket.destroy(), "ECONNRESET"],
  ])("fail with the proxy's name if it %s, without its password", async (_, onConnect, why) => {
    const { address, connects } = await proxyOf(onConnect);
    const service = await serviceAt("github.invalid", { http_proxy: address });
    expect((await result(service)).get("error")).toBe("temporarily_unavailable");
    const host = new URL(address).host;
    expect(service.log.failures).toEqual([
      `github: temporarily_unavailable: GitHub's token endpoint could not be reached through the proxy ${host} of http_proxy (${why}). Check http_proxy, or add the host to NO_PROXY.`,
    ]);
    expect(connects).toEqual(["github.invalid:80"]);
  });

  it("fail with the variable that is not an address", async () => {
    const service = await serviceAt("github.invalid", { HTTP_PROXY: "http://a b" });
    await result(service);
    expect(service.log.failures).toEqual([
      expect.stringMatching(
        /through the proxy of HTTP_PROXY \(.+\)\. It is not an address: write it as http:\/\/proxy\./,
      ),
    ]);
  });
});
