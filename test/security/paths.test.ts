import { describe, expect, it } from "vitest";
import { answer, locationOf } from "../_answers.ts";
import { begun, RECORDS } from "../_attacks.ts";
import { APP, SEED, setup, ADA } from "../_setup.ts";
import { ask, listening } from "../_sockets.ts";

const VERIFY = "/api/v1/tokens/verify";

const KEY = SEED.instances[0]!.secret_key;

const KEYED_PATHS: [method: string, path: string][] = [
  ["GET", "/api/v1/users"],
  ["GET", "/api/v1/users/search?query=name:*"],
  ["GET", `/api/v1/users/${ADA}`],
  ["DELETE", `/api/v1/users/${ADA}`],
  ["GET", "/api/v1/sessions"],
  ["GET", "/api/v1/sessions/search?query=name:*"],
  ["GET", `/api/v1/sessions/${RECORDS.acme.session}`],
  ["POST", VERIFY],
  ["GET", `/api/v1/instances/search?query=publishable_key:${SEED.instances[0]!.publishable_key}`],
];

/** Spellings of a path that some parser between the client and the route might accept for it. */
const SPELLINGS: [name: string, spell: (path: string, port: number) => string][] = [
  ["an escaped letter", (path) => path.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
  ["an escaped first letter", (path) => path.replace("/api", "/%61pi")],
  ["an escape of an escape", (path) => path.replace("/api", "/%2561pi")],
  ["an escaped slash", (path) => path.replace("/v1/", "/v1%2f")],
  ["an escaped end of text", (path) => `${path}%00`],
  ["an escaped space", (path) => `${path}%20`],
  ["an invalid escape", (path) => `${path}%zz`],
  ["half of a UTF-8 sequence", (path) => `${path}%c0%af`],
  ["two slashes at the beginning", (path) => `/${path}`],
  ["two slashes within", (path) => path.replace("/v1/", "/v1//")],
  ["a slash at the end", (path) => `${path}/`],
  ["one dot", (path) => path.replace("/v1/", "/./v1/")],
  ["two dots", (path) => path.replace("/v1/", "/x/../v1/")],
  ["two escaped dots", (path) => path.replace("/v1/", "/x/%2e%2e/v1/")],
  ["dots from a public path", (path) => `/.well-known/..${path}`],
  ["a parameter of a segment", (path) => `${path};x=y`],
  ["a parameter of a middle segment", (path) => path.replace("/v1/", "/v1;x/")],
  ["capitals", (path) => path.replace("/api", "/API")],
  ["backslashes within", (path) => path.replace("/v1/", "\\v1\\")],
  ["a fragment", (path) => `${path}#x`],
  ["another prefix", (path) => path.replace("/v1", "/v1/v1")],
  ["no version", (path) => path.replace("/v1", "")],
  ["dots in an absolute form", (path, port) => `http://localhost:${port}${path.replace("/v1/", "/x/../v1/")}`],
  ["an escape in an absolute form", (path, port) => `http://localhost:${port}${path.replace("/api", "/%61pi")}`],
];

/** Where an id belongs, everything that is none is a record that nobody has: it is never decoded. */
function notFound(spelt: string): string {
  const [, noun] = /^\/api\/v1\/(users|sessions)\/[^/\\#?]+(?:\?|$)/.exec(spelt) ?? [];
  return noun === undefined ? "Not found" : noun === "users" ? "User not found" : "Session not found";
}

describe("Paths and duplicates", () => {
  it.each(SPELLINGS)("T33: a path with %s is not that path, even with a key", async (_, spell) => {
    const { port } = await listening();
    const headers = ["X-Service-Secret-Key", KEY];
    for (const [method, path] of KEYED_PATHS) {
      const [pathname = "", query] = path.split("?");
      const spelt = spell(pathname, port) + (query === undefined ? "" : `?${query}`);
      const { status, body } = await ask(port, { method, path: spelt, headers });
      expect([method, spelt, status, body]).toEqual([method, spelt, 404, `{"error":"${notFound(spelt)}"}`]);
    }
    expect((await ask(port, { path: `/api/v1/users/${ADA}`, headers })).status).toBe(200);
  });

  it.each([
    ["the same secret key", ["X-Service-Secret-Key", KEY, "X-Service-Secret-Key", KEY]],
    ["two secret keys", ["X-Service-Secret-Key", KEY, "X-Service-Secret-Key", SEED.instances[1]!.secret_key]],
    ["a wrong one first", ["X-Service-Secret-Key", "x", "X-Service-Secret-Key", KEY]],
    ["a wrong one last", ["X-Service-Secret-Key", KEY, "x-service-secret-key", "x"]],
    ["an empty one", ["X-Service-Secret-Key", KEY, "X-Service-Secret-Key", ""]],
    ["both in one line", ["X-Service-Secret-Key", `${KEY}, ${KEY}`]],
    ["both in one line, no space", ["X-Service-Secret-Key", `${KEY},${KEY}`]],
  ])("T34: a repeated key is rejected: %s", async (_, headers) => {
    const { port } = await listening();
    for (const path of [
      "/api/v1/users",
      `/api/v1/users/${ADA}`,
      `/api/v1/instances/search?query=publishable_key:pk_acme_0123456789`,
    ]) {
      const { status, body } = await ask(port, { path, headers });
      expect([path, status, body]).toEqual([path, 401, `{"error":"Unauthorized"}`]);
    }
  });

  it("T34: a repeated publishable key is rejected", async () => {
    const { port } = await listening();
    const key = SEED.instances[0]!.publishable_key;
    const path = `/api/v1/instances/search?query=publishable_key:${key}`;
    for (const other of [key, SEED.instances[1]!.publishable_key, ""]) {
      const { status } = await ask(port, {
        path,
        headers: ["X-Service-Publishable-Key", key, "X-Service-Publishable-Key", other],
      });
      expect(status).toBe(401);
    }
  });

  it.each([
    "/api/v1/users/search?query=name:a&query=name:b",
    "/api/v1/users/search?query=name:a&quer%79=name:b",
    "/api/v1/users/search?query=name:a&query",
    "/api/v1/sessions/search?query=name:a&query=name:b",
    "/api/v1/users?limit=1&limit=2",
    `/api/v1/users?after=${ADA}&after=${ADA}`,
    "/api/v1/instances/search?query=publishable_key:pk_acme_0123456789&query=publishable_key:pk_globex_0123456789",
    `/sign-in?redirect_uri=${APP}&redirect_uri=https://evil.example`,
    `/oauth/authorize?provider=google&provider=github&redirect_uri=${APP}`,
    `/oauth/authorize?provider=google&redirect_uri=${APP}&login_hint=ada&login_hint=mary`,
    `/__svc/begin?instance=acme&instance=globex&provider=google&redirect_uri=${APP}`,
    "/oauth/google/callback?code=a&code=b&state=s",
    "/__svc/signed-in?token=a&token=b",
  ])("T34: a repeated parameter is rejected: %s", async (path) => {
    const { as, acme } = await setup();
    expect(await answer(await as(acme, path))).toEqual([400, { error: "Bad request: a query parameter is repeated" }]);
  });

  it("T34: a repeated state is rejected and not used up", async () => {
    const service = await setup();
    const { callback, state } = await begun(service);
    expect((await service.fetch(`${callback}&state=${state}`)).status).toBe(400);
    expect(locationOf(await service.fetch(callback)).searchParams.has("token")).toBe(true);
  });
});
