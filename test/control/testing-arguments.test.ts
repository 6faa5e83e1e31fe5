import { expect, it } from "vitest";
import { connect, createTestService } from "../../src/testing/index.ts";
import { createSignInAs, sharedServer, SignedIn } from "../../src/testing/playwright-sign-in.ts";
import { serviceBy } from "../_services.ts";

const config = (message: string): object => ({
  name: "ServeError",
  code: "config",
  message: expect.stringContaining(message) as string,
});

/** A call by a program without types. */
type Untyped = (...given: unknown[]) => Promise<unknown>;
const untyped = (call: unknown): Untyped => call as Untyped;

it("connect and createTestService say which options they need", async () => {
  await expect(untyped(connect)()).rejects.toMatchObject(config("connect needs an object of options, not undefined."));
  await expect(untyped(connect)(null)).rejects.toMatchObject(config("The options are controlKey, isolate, url."));
  await expect(untyped(createTestService)(null)).rejects.toMatchObject(config("createTestService needs an object"));
});

it("Scenarios without an object are refused by the name of the method", async () => {
  const { scenarios } = await serviceBy("in process");
  for (const given of [undefined, null, "access_denied"]) {
    await expect(untyped(scenarios.next)(given)).rejects.toMatchObject(config("scenarios.next needs an object"));
    await expect(untyped(scenarios.add)(given)).rejects.toMatchObject(config("scenarios.add needs an object"));
  }
  expect(await scenarios.list()).toEqual([]);
});

it("signInAs and storageStateFor refuse a misspelt option before they open a page", async () => {
  const svc = await serviceBy("in process");
  const signInAs = createSignInAs(svc, "/sign-in");
  await expect(untyped(signInAs)({}, "ada", { outcom: "access_denied" })).rejects.toMatchObject(
    config("Unknown option of signInAs: outcom. Did you mean outcome?"),
  );
  await expect(untyped(signInAs)({}, "ada", null)).rejects.toMatchObject(config("signInAs needs an object of options"));
  const storing = new SignedIn().storageState({ svc } as never, "ada", { outcome: "success" } as never);
  await expect(storing).rejects.toMatchObject(config("Unknown option of storageStateFor: outcome."));
  expect(await svc.scenarios.list()).toEqual([]);
});

it("connect refuses an address or a key that can't be right, instead of calling the server unreachable", async () => {
  const controlKey = `ctl_${"x".repeat(43)}`;
  for (const url of [undefined, null, "", "nope", "ftp://localhost", 7820])
    await expect(untyped(connect)({ url, controlKey })).rejects.toMatchObject(config("connect needs url"));
  for (const key of [undefined, null, "", "ctl_x\n", 1])
    await expect(untyped(connect)({ url: "http://127.0.0.1:9", controlKey: key })).rejects.toMatchObject(
      config("connect needs controlKey"),
    );
});

it("A user without an id is not found", async () => {
  const { users } = await serviceBy("in process");
  for (const call of [users.get, users.update, users.delete])
    await expect(untyped(call)(undefined, { name: "Joan" })).rejects.toMatchObject({
      code: "user_not_found",
      status: 404,
    });
});

it("client refuses options in the place of the instance", async () => {
  const svc = await serviceBy("in process");
  expect(() => svc.client({ retry: 0 } as never)).toThrow(
    expect.objectContaining(config("client needs the instance first, and the options after it")),
  );
});

it("flows.waitFor waits for any sign-in without a filter, and refuses what is not a duration", async () => {
  const svc = await serviceBy("in process");
  await expect(untyped(svc.flows.waitFor)({}, { timeout: 300 })).rejects.toMatchObject(
    config('flows.waitFor needs how long to wait as a duration: waitFor(filter, "10s").'),
  );
  await expect(untyped(svc.flows.waitFor)(null)).rejects.toMatchObject(config("flows.waitFor needs an object"));
  await expect(svc.flows.waitFor(undefined, 1)).rejects.toMatchObject({
    code: "timeout",
    message: "No sign-in matched {} within 1ms. The latest: none.",
  });
  const { flow_id } = await svc.signIn({ as: "ada" });
  expect((await svc.flows.waitFor()).id).toBe(flow_id);
});

it("The fixtures of Playwright refuse the address of a shared server without its key, and the key without its address", () => {
  const [url, controlKey] = ["http://localhost:7820", "ctl_x"];
  expect(sharedServer({})).toBeUndefined();
  expect(sharedServer({ SVC_CONTROL_URL: url, SVC_CONTROL_KEY: controlKey })).toEqual({ url, controlKey });
  expect(() => sharedServer({ SVC_CONTROL_URL: url })).toThrow(
    expect.objectContaining(config("SVC_CONTROL_URL is set without SVC_CONTROL_KEY. Set both to share a server")),
  );
  expect(() => sharedServer({ SVC_CONTROL_KEY: controlKey })).toThrow(
    expect.objectContaining(config("SVC_CONTROL_KEY is set without SVC_CONTROL_URL.")),
  );
});

it("signInAs says that the page began no sign-in, and which path answered what", async () => {
  const svc = await serviceBy("in process");
  const signInAs = createSignInAs(svc, "/sign-in", 1);
  const page = { goto: async () => ({ status: () => 404 }) };
  await expect(untyped(signInAs)(page, "ada", { path: "/nope" })).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringMatching(/^\/nope, which answered 404, began no sign-in within /) as string,
  });
  await expect(untyped(signInAs)(page, "ada", { start: async () => undefined })).rejects.toThrow(
    /^start began no sign-in/,
  );
});

it("signInAs works beside a scenario of the test's own, names the one that won, and takes its own back", async () => {
  const svc = await serviceBy("in process");
  const { id: browser } = await svc.control.request("POST /browsers", { body: {} });
  const scoped = svc.scoped("a test", { browser });
  const signInAs = createSignInAs(scoped, "/sign-in");
  const start = () => svc.signIn({ browser });
  const own = await scoped.scenarios.next({ outcome: "access_denied" });
  await svc.signIn({ browser, as: "ada", outcome: "success" });
  const page = {} as never;
  const first = await signInAs(page, "ada", { start });
  expect([first.data.error, first.data.scenario?.id]).toEqual(["access_denied", own.id]);
  await scoped.scenarios.assertMet();
  const second = await signInAs(page, "bo@acme.test", { start, delay_ms: 5 });
  expect([second.data.as, second.data.result]).toEqual(["bo@acme.test", "token"]);
});

it("A text in the place of options is refused, and not taken apart into fields", async () => {
  const svc = await serviceBy("in process");
  for (const [name, call] of Object.entries({
    "tokens.create": svc.tokens.create,
    "users.create": svc.users.create,
    "users.list": svc.users.list,
    "sessions.list": svc.sessions.list,
    "flows.list": svc.flows.list,
    "flows.latest": svc.flows.latest,
    "flows.summary": svc.flows.summary,
  })) {
    const problem = `${name} needs an object of options, not a string. Write ${name}({`;
    await expect(untyped(call)("ada")).rejects.toMatchObject(config(problem));
  }
  await expect(svc.clock.setFixedTime("soon")).rejects.toMatchObject(config('"soon" is not a date.'));
});

it("A parameter that is missing, and a route that is none, are named", async () => {
  const { flows, control } = await serviceBy("in process");
  await expect(untyped(flows.get)(undefined)).rejects.toThrow("Not found: id in GET /flows/:id is empty.");
  await expect(untyped(control.request)("GET", "/users")).rejects.toThrow(
    'Not found: "GET" is not a route. Write method and path as one: request("GET /users")',
  );
});
