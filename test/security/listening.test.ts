import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/server/index.ts";
import { started, startSvc } from "../_attacks.ts";
import { tools } from "../faults/_processes.ts";
import { temporaryDirectory } from "../_files.ts";
import { HAS_IPV6, possible } from "../_ipv6.ts";
import { serveHere } from "../_serving.ts";
import { listening } from "../_sockets.ts";

/** The addresses where a process listens, at one port or any, as the kernel spells them. */
function boundBy(pid: number | undefined, port?: number): string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const rows = ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/)),
  );
  // By socket: the kernel shows a row twice where others come and go while the table is read.
  const addresses = new Map(
    rows
      .filter((columns) => columns[3] === "0A" && sockets.has(columns[9] ?? ""))
      .map((columns) => [columns[9], (columns[1] ?? "").split(":")]),
  );
  return [...addresses.values()]
    .filter(([, at = ""]) => port === undefined || Number.parseInt(at, 16) === port)
    .map(([address = ""]) => address);
}

const LOOPBACK_4 = "0100007F";

const LOOPBACK_6 = "00000000000000000000000001000000";

const ANY_4 = "00000000";

/** Both, if this machine has them. */
const LOOPBACK = HAS_IPV6 ? [LOOPBACK_4, LOOPBACK_6] : [LOOPBACK_4];

describe.skipIf(process.platform !== "linux")("T26: The listening address", () => {
  it.each<[string, string[]]>([
    ["no options", []],
    ["--public-url", ["--public-url", "https://auth.example.test", "--providers", "simulated", "--drain", "0"]],
    ["--allowed-host", ["--allowed-host", "auth.example.test"]],
  ])("is loopback only, with %s", async (_, flags) => {
    const { ready } = await serveHere(["--store", "memory", ...flags], { cwd: temporaryDirectory() });
    expect(boundBy(process.pid, ready.port)).toEqual(LOOPBACK);
  });

  it("is loopback only, with CI, a port and a host at once", async () => {
    const env = { CI: "true", NODE_ENV: "production", HOST: "::", HOSTNAME: "0.0.0.0", PORT: "80" };
    const server = await startSvc(["--json", "--store", "memory"], { cwd: temporaryDirectory(), env });
    expect(boundBy(server.child.pid)).toEqual(LOOPBACK);
  });

  it.skipIf(!tools.mount)("is loopback only, in a container", async () => {
    // By these, programs recognize Podman and Kubernetes.
    const marked = 'mount -t tmpfs none /run && touch /run/.containerenv && exec "$@"';
    const command = ["unshare", "-m", "sh", "-c", marked, "sh", process.execPath];
    const env = { container: "podman", KUBERNETES_SERVICE_HOST: "10.0.0.1", HOSTNAME: "svc-7d9f" };
    const server = await startSvc(["--json", "--store", "memory"], { cwd: temporaryDirectory(), env, command });
    expect(boundBy(server.child.pid)).toEqual(LOOPBACK);
  });

  it("is loopback only, and matches the address that the server prints", async () => {
    const { port, bound } = await listening();
    expect(bound).toEqual([`127.0.0.1:${port}`, ...(HAS_IPV6 ? [`[::1]:${port}`] : [])]);
    expect(boundBy(process.pid, port)).toEqual(LOOPBACK);
  });

  it("is loopback only in a program with a --host option of its own", async () => {
    const library = new URL("../../dist/server.js", import.meta.url).href;
    const program = `const { serve } = await import("${library}"); const { port } = await serve({ port: 0, store: "memory" }); console.log("port " + port)`;
    const argv = [process.execPath, "--input-type=module", "-e", program, "--", "--host", "0.0.0.0"];
    const env = { HOST: "0.0.0.0", NODE_ENV: "production" };
    const host = await started(argv, { cwd: temporaryDirectory(), env, ready: /^port (\d+)$/ });
    expect(boundBy(host.child.pid)).toEqual(LOOPBACK);
  });

  it.each(
    possible([
      ["127.0.0.2", ["0200007F"]],
      // Names that listhen does not recognize, for which it listens everywhere.
      ["::1%lo", LOOPBACK],
      [`0x${"0".repeat(60)}7f000001`, LOOPBACK],
    ]),
  )("is exactly the one of --host, with --public-url: %s", async (host, addresses) => {
    const beyond = ["--providers", "simulated", "--public-url", "https://auth.example.test"];
    const server = await serveHere(["--store", "memory", ...beyond, "--drain", "0", "--host", host], {
      cwd: temporaryDirectory(),
    }).catch((error: Error) => error);
    if (server instanceof Error) expect(server.message).toContain("--host");
    else expect(boundBy(process.pid, server.ready.port).toSorted()).toEqual(addresses.toSorted());
  });
});

describe("T49: Another program cannot listen at an address of localhost, by which the server is found,", () => {
  const OTHER = Object.values(networkInterfaces()).flatMap((found = []) =>
    found.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address),
  );
  const SPELLINGS = ["0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:0:0"];
  const OF_LINUX = process.platform === "linux" ? ["::1%lo", "127.0.0.2"] : [];
  const HOSTS = ["127.0.0.1", "::1", "localhost", "0.0.0.0", "::", ...SPELLINGS, ...OF_LINUX, ...OTHER.slice(0, 1)];

  it.each(possible(HOSTS))("with --host: %s", async (host) => {
    const server = await serve({ port: 0, store: "memory", providers: "simulated", host });
    onTestFinished(() => server.close());
    expect(new URL(server.url).hostname).toBe("localhost");
    for (const address of possible(["127.0.0.1", "::1"])) {
      const other = createServer().listen(server.port, address);
      onTestFinished(() => void other.close());
      await expect(once(other, "listening")).rejects.toMatchObject({ code: "EADDRINUSE" });
    }
  });

  it.skipIf(process.platform !== "linux").each(
    possible([
      ["127.0.0.1", LOOPBACK],
      ["::1", LOOPBACK],
      ["localhost", LOOPBACK],
      ["0.0.0.0", [ANY_4, ...LOOPBACK.slice(1)]],
      ["127.0.0.2", ["0200007F", ...LOOPBACK]],
    ]),
  )("and the server listens nowhere else, with --host: %s", async (host, addresses) => {
    const server = await serve({ port: 0, store: "memory", providers: "simulated", host });
    onTestFinished(() => server.close());
    expect(boundBy(process.pid, server.port).toSorted()).toEqual(addresses.toSorted());
  });

  it.skipIf(!HAS_IPV6)("and a server does not start where one listens", async () => {
    const other = createServer().listen(0, "::1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await expect(serve({ port, store: "memory", host: "127.0.0.1" })).rejects.toThrow(`Port ${port} is in use`);
  });
});
