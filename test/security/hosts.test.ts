import { describe, expect, it } from "vitest";
import { answer } from "../_answers.ts";
import { BROWSER } from "../_attacks.ts";
import { APP, setup, ADA } from "../_setup.ts";
import { ask, listening } from "../_sockets.ts";

const VERIFY = "/api/v1/tokens/verify";

const HOSTS: [host: string, isOurs: boolean][] = [
  ["localhost:7820", true],
  ["LOCALHOST:7820", true],
  ["127.0.0.1:7820", true],
  ["[::1]:7820", true],
  ["acme.localhost:7820", true],
  ["localhost", false],
  ["localhost:7821", false],
  ["localhost.:7820", false],
  ["0.0.0.0:7820", false],
  ["[::]:7820", false],
  ["127.0.0.2:7820", false],
  ["127.1:7820", false],
  ["2130706433:7820", false],
  ["169.254.169.254", false],
  ["evil.example:7820", false],
  ["evil.example", false],
  ["localhost.evil.example:7820", false],
  ["evil-localhost:7820", false],
  ["localhost:7820.evil.example", false],
  ["localhost:7820@evil.example", false],
  ["evil.example@localhost:7820", false],
  ["localhost:7820, evil.example", false],
  ["", false],
];

const ORIGINS = [undefined, "null", "http://evil.example", "http://localhost:3000", "http://localhost:7820"];

const SITES = [undefined, "none", "same-origin", "same-site", "cross-site", "none, cross-site"];

interface Visit {
  host: string;
  origin: string | undefined;
  site: string | undefined;
}

const VISITS: Visit[] = HOSTS.flatMap(([host]) =>
  ORIGINS.flatMap((origin) => SITES.map((site) => ({ host, origin, site }))),
);

/** The expected result of a request with a valid key. */
function ruled({ host }: Visit): number {
  return HOSTS.some(([name, isOurs]) => name === host && isOurs) ? 200 : 421;
}

function headersOf({ origin, site }: Visit): Record<string, string> {
  return { ...(origin !== undefined && { origin }), ...(site !== undefined && { "sec-fetch-site": site }) };
}

const FORWARDED = {
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "https",
  "x-forwarded-port": "443",
  "x-forwarded-for": "6.6.6.6",
  forwarded: "host=evil.example;proto=https",
  "x-original-url": "/api/v1/users",
  "x-rewrite-url": "/api/v1/users",
  "x-http-method-override": "DELETE",
  "x-host": "evil.example",
};

describe("Hosts and origins", () => {
  it("T16: an unknown host name gets no answer, and headers of a known one are not trusted", async () => {
    const { fetch } = await setup();
    const paths = [
      "/.well-known/openid-configuration",
      `/sign-in?redirect_uri=${APP}`,
      `/oauth/authorize?provider=twitter&redirect_uri=${APP}`,
      "/",
    ];
    for (const path of paths) {
      for (const [host] of HOSTS.filter(([, isOurs]) => !isOurs)) {
        const response = await fetch(path, { headers: { host } });
        expect(await answer(response)).toEqual([421, { error: expect.stringMatching(/^Unknown host: /) as string }]);
      }
      const told = await fetch(path, { headers: { ...FORWARDED, ...BROWSER } });
      expect(`${told.headers.get("location")} ${told.headers.get("set-cookie")} ${await told.text()}`).not.toMatch(
        /evil|https:\/\/localhost|Secure/,
      );
      const plain = await fetch(path, { headers: BROWSER });
      expect([told.status, [...told.headers.keys()]]).toEqual([plain.status, [...plain.headers.keys()]]);
    }
  });

  it("T16: on a socket the same holds, and the session keeps the peer's address", async () => {
    const server = await listening();
    const { port } = server;
    const forwarded = Object.entries(FORWARDED).flat();
    const plain = await ask(port, { path: "/.well-known/openid-configuration" });
    const told = await ask(port, { path: "/.well-known/openid-configuration", headers: forwarded });
    expect([told.status, told.body]).toEqual([200, plain.body]);
    let path = `/oauth/authorize?provider=google&login_hint=ada&redirect_uri=${APP}`;
    for (let hop = 0; hop < 3; hop++) {
      const { headers } = await ask(port, { path, headers: forwarded });
      path = headers.location?.replace(server.url, "") ?? "";
    }
    expect(path).toMatch(/^http:\/\/localhost:3000\/callback\?token=/);
    const key = server.instances[0]!.secret_key;
    const sessions = await ask(port, { path: "/api/v1/sessions?limit=1", headers: ["X-Service-Secret-Key", key] });
    expect(JSON.parse(sessions.body)).toMatchObject([{ data: { ip_address: "127.0.0.1" } }]);
  });

  it("T25: of all hosts that a page could send, only our own is answered, and the same whatever its origin, for no page to read", async () => {
    const { as, acme } = await setup();
    const answered = await Promise.all(
      VISITS.map(async (visit) => {
        const response = await as(acme, "/api/v1/users", { headers: { ...headersOf(visit), host: visit.host } });
        const open = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
        return { ...visit, status: response.status, open, data: (await response.text()).includes("Lovelace") };
      }),
    );
    expect(answered).toEqual(
      VISITS.map((visit) => ({ ...visit, status: ruled(visit), open: [], data: ruled(visit) === 200 })),
    );
  });

  it("T25: on a socket the same holds for a deletion", async () => {
    const { port, instances } = await listening();
    const key = instances[0]!.secret_key;
    const here = (host: string): string => host.replace("7820", String(port)).replace("7821", "1");
    for (const visit of VISITS.filter((each, i) => ruled(each) === 421 && i % 7 === 0)) {
      const headers = ["X-Service-Secret-Key", key, ...Object.entries(headersOf(visit)).flat()];
      const { status } = await ask(port, {
        method: "DELETE",
        path: `/api/v1/users/${ADA}`,
        host: here(visit.host),
        headers,
      });
      expect({ ...visit, status }).toEqual({ ...visit, status: ruled(visit) });
    }
    // A browser asks before it sends a page's key, and goes no further without these headers in the answer.
    const preflight = ["Origin", "http://evil.example", "Access-Control-Request-Method", "DELETE"];
    const path = `/api/v1/users/${ADA}`;
    const asked = await ask(port, { method: "OPTIONS", path, headers: preflight });
    expect(asked.status).toBe(405);
    expect(Object.keys(asked.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    const left = await ask(port, { path, headers: ["X-Service-Secret-Key", key] });
    expect(left.status).toBe(200);
  });

  it("T25: a page of another origin can read only discovery and resolved instances", async () => {
    const { fetch, acme } = await setup();
    const pages = { ...BROWSER, origin: "http://evil.example", "x-service-publishable-key": acme.publishable_key };
    const open: string[] = [];
    for (const path of [
      "/",
      "/.well-known/openid-configuration",
      `/sign-in?redirect_uri=${APP}`,
      "/__svc/signed-in",
      "/nope",
      `/api/v1/instances/search?query=publishable_key:${acme.publishable_key}`,
      "/api/v1/users",
      VERIFY,
    ]) {
      for (const method of ["GET", "OPTIONS"]) {
        const response = await fetch(path, { method, headers: { ...pages, "access-control-request-method": "GET" } });
        if (response.headers.has("access-control-allow-origin")) open.push(`${method} ${path.split("?")[0]}`);
        expect(response.headers.has("access-control-allow-credentials")).toBe(false);
        expect(response.headers.get("access-control-allow-headers") ?? "").not.toMatch(/secret/i);
      }
    }
    expect(open).toEqual([
      "GET /.well-known/openid-configuration",
      "GET /api/v1/instances/search",
      "OPTIONS /api/v1/instances/search",
    ]);
  });
});
