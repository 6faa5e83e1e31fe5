import { expect, it } from "vitest";
import type { TestService } from "../../src/testing/index.ts";
import { serviceBy } from "../_services.ts";

const CANCELED = { provider: "github", outcome: "access_denied" } as const;

/** The same sign-in as `svc.signIn`, as `svc sign-in --as` makes it. */
async function byProgram(svc: TestService): Promise<string | null> {
  const { url } = svc.instances[0];
  const query = new URLSearchParams({
    provider: "github",
    redirect_uri: "http://127.0.0.1:1/callback",
    login_hint: "ada",
  });
  let location = `${url}/oauth/authorize?${query.toString()}`;
  while (!location.startsWith("http://127.0.0.1:1/"))
    location = (await svc.fetch(location, { redirect: "manual" })).headers.get("location") ?? expect.fail(location);
  return new URL(location).searchParams.get("error");
}

it("A pending scenario decides a sign-in alike, by the API and by a program that follows redirects", async () => {
  const svc = await serviceBy("in process");
  await svc.scenarios.add({ match: { provider: "github" }, outcome: "access_denied", times: 2 });
  expect((await svc.signIn({ as: "ada", provider: "github" })).error).toBe("access_denied");
  expect(await byProgram(svc)).toBe("access_denied");
  await svc.scenarios.assertMet();
  expect(await svc.signIn({ as: "ada", provider: "github" })).not.toHaveProperty("error");
});

it("A scenario's account signs in, unless the sign-in names another one", async () => {
  const svc = await serviceBy("in process");
  await svc.scenarios.next({ as: "kay@example.com" });
  const { flow_id } = await svc.signIn({ as: "ada" });
  expect((await svc.flows.get(flow_id)).data.as).toBe("ada");
  const second = await svc.signIn();
  expect((await svc.flows.get(second.flow_id)).data.as).toBe("kay@example.com");
  await svc.scenarios.assertMet();
});

it("The flow of a sign-in says whether the user is new", async () => {
  const svc = await serviceBy("in process");
  const said: unknown[] = [];
  for (const provider of ["google", "github", "google"] as const) {
    const { flow_id } = await svc.signIn({ as: "kay@example.com", provider });
    said.push((await svc.flows.get(flow_id)).data.steps.at(-1)!.answered!["new_user"]);
  }
  expect(said).toEqual([true, false, false]);
});

it("A sign-in with its own outcome ignores a scenario, whose failure says so", async () => {
  const svc = await serviceBy("in process");
  await svc.scenarios.next(CANCELED);
  expect(await svc.signIn({ as: "ada", provider: "github", outcome: "success" })).not.toHaveProperty("error");
  await expect(svc.scenarios.assertMet()).rejects.toThrow(
    "access_denied for provider github: the sign-in named its own outcome, success (1 sign-in)",
  );
});

it("A test's scenarios on a shared server decide its own signIn and nobody else's", async () => {
  const svc = await serviceBy("in process");
  const { id } = await svc.control.request("POST /browsers", { body: {} });
  const [own, other] = [svc.scoped("own", { browser: id }), svc.scoped("other", { browser: `${id}x` })];
  await own.scenarios.next({ outcome: "access_denied" });
  for (const stranger of [svc, other]) expect(await stranger.signIn({ as: "ada" })).not.toHaveProperty("error");
  expect((await own.signIn({ as: "ada" })).error).toBe("access_denied");
});
