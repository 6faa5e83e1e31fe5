import { expect, it } from "vitest";
import { connect, createTestService } from "../../src/testing/index.ts";
import { createSignInAs } from "../../src/testing/playwright/sign-in-as.ts";
import { SignedIn } from "../../src/testing/playwright/signed-in.ts";
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
