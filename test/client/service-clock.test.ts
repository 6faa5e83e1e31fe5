import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { withAuth } from "../../src/client/middleware.ts";
import { beginSignIn, finishSignIn } from "../../src/client/sign-in.ts";
import { authenticateRequest, checkToken } from "../../src/client/verify.ts";
import { connect, type TestService } from "../../src/testing/index.ts";
import { startServer } from "../_control.ts";

let svc: TestService;
let secretKey: string;
let said: unknown[][];

beforeEach(async () => {
  const { url, control_key = "" } = await startServer();
  svc = await connect({ url, controlKey: control_key });
  secretKey = svc.instances[0].secret_key;
  vi.stubEnv("SVC_CONTROL_URL", url);
  vi.stubEnv("SVC_CONTROL_KEY", control_key);
  said = vi.spyOn(console, "warn").mockImplementation(() => {}).mock.calls;
});
afterEach(async () => {
  await svc.close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, Symbol.for("svc-identity.service-clock"));
});

it("An application follows the clock of the service in its environment, without a line of code, and says so once", async () => {
  const { token = "" } = await svc.signIn({ as: "ada" });
  const request = new Request("http://localhost/me", { headers: { authorization: `Bearer ${token}` } });
  const guarded = withAuth((_, { email }) => Response.json({ email }), { secretKey });
  const client = createClient({ secretKey, baseUrl: svc.url });
  const isAccepted = async (): Promise<boolean[]> => [
    (await checkToken(token, { secretKey })).ok,
    (await authenticateRequest(request, { secretKey })).status === "signed-in",
    (await guarded(request)).status === 200,
    await client.tokens.verifyLocal(token).then(
      () => true,
      () => false,
    ),
  ];
  expect(await isAccepted()).toEqual([true, true, true, true]);
  await svc.clock.advance("61m");
  expect(await isAccepted()).toEqual([false, false, false, false]);
  expect(said).toEqual([
    [`svc: Tokens are verified by the clock of ${svc.url}, because SVC_CONTROL_URL and SVC_CONTROL_KEY are set.`],
  ]);
});

it("A user signs in again after two hours, and the application accepts the new token", async () => {
  await svc.clock.advance("2h");
  const options = { secretKey, baseUrl: svc.url, redirectUri: "http://localhost:3000/callback" };
  const begun = await beginSignIn(new Request("http://localhost:3000/sign-in"), options);
  if (!begun.ok) throw begun.error;
  await svc.scenarios.next({ as: "ada" });
  let url = begun.location;
  while (!url.startsWith(options.redirectUri))
    url = (await svc.fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
  const cookie = begun.headers["set-cookie"]!.split(";")[0]!;
  const finished = await finishSignIn(new Request(url, { headers: { cookie } }), options);
  expect(finished).toMatchObject({ ok: true, claims: { email: "ada@acme.test" } });
});

it("A `now` of its own takes precedence, and nothing is asked or said", async () => {
  const { token = "" } = await svc.signIn({ as: "ada" });
  await svc.clock.advance("61m");
  expect((await checkToken(token, { secretKey, now: Date.now })).ok).toBe(true);
  expect(said).toEqual([]);
});

it("An application with an old key follows by its new one", async () => {
  const { token = "" } = await svc.signIn({ as: "ada" });
  const [{ id }] = svc.instances;
  const rotated = await svc.control.request("POST /instances/:id/keys/rotate", { params: { id }, body: {} });
  await svc.clock.advance("61m");
  const result = await checkToken(token, { secretKey: [secretKey, rotated.secret_key] });
  expect(result).toMatchObject({ ok: false, error: { reason: "expired" } });
});
