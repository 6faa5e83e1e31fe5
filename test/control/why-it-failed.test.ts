import { beforeAll, describe, expect, it } from "vitest";
import { ACCOUNT_OUTCOMES, ID_TOKEN_OUTCOMES, OUTCOMES } from "../../src/wire/outcomes.ts";
import { PROVIDERS, PROVIDERS_WITHOUT_EMAIL } from "../../src/wire/providers.ts";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { call, type Answered } from "../_control.ts";

interface Step {
  readonly name: string;
  readonly reason: string | null;
  readonly sent: Record<string, unknown> | null;
  readonly answered: Record<string, unknown> | null;
}

let server: RunningServer;
const control = (route: string, body?: unknown): Promise<Answered> =>
  call(server.url, route, body, { authorization: `Bearer ${server.control_key}` });

async function signIn(body: object): Promise<{ id: string; reason: string; steps: Step[] }> {
  const { flow_id } = (await control("POST /sign-ins", body)).body;
  const { id, data } = (await control(`GET /flows/${flow_id}`)).body;
  return { id, ...data };
}

/** The step that `svc logs` and the dashboard mark. */
const decided = (steps: readonly Step[]): Step | undefined => steps.findLast(({ reason }) => reason !== null);

const found = async (query: Record<string, string>): Promise<string[]> =>
  ((await control(`GET /flows?${new URLSearchParams(query).toString()}`)).body as { id: string }[]).map(({ id }) => id);

beforeAll(async () => {
  server = await serve({ port: 0, store: "memory", providers: "simulated" });
  return () => server.close();
});

describe("A sign-in that failed", () => {
  const STEP: Partial<Record<string, string>> = {
    access_denied: "callback",
    temporarily_unavailable: "callback",
    state_expired: "callback",
    callback_replayed: "callback",
    profile_error: "profile",
    email_not_verified: "emails",
    email_primary_not_verified: "emails",
  };
  const cases = PROVIDERS.flatMap((provider) =>
    OUTCOMES.filter(({ id, application_sees }) => {
      const isOfAccount = (ACCOUNT_OUTCOMES as readonly string[]).includes(id);
      const hasThem = !PROVIDERS_WITHOUT_EMAIL.includes(provider) && !(provider === "google" && id.includes("primary"));
      return application_sees !== "token" && !ID_TOKEN_OUTCOMES.includes(id) && (!isOfAccount || hasThem);
    }).map(({ id }) => [provider, id, STEP[id] ?? "token"] as const),
  );
  const PROFILE: Record<string, Record<string, string>> = {
    google: { profile: "userinfo", emails: "userinfo" },
    github: { profile: "user" },
    twitter: { profile: "me" },
  };

  it.each(cases)("with %s, %s, has one deciding step with the reason: %s", async (provider, outcome, step) => {
    const { reason, steps } = await signIn({ provider, as: "ada", outcome });
    expect(steps.filter((one) => one.reason !== null).map(({ name }) => name)).toEqual([
      PROFILE[provider]![step] ?? step,
    ]);
    expect(decided(steps)!.reason).toBe(reason);
    // Who asked for it, and a sentence with a subject and what to do.
    expect(reason.replace(`As the outcome ${outcome} asked: `, "")).toMatch(
      /^(?:Google|GitHub|Twitter|The|This)(?:'s)? .+\.$/,
    );
  });

  it("shows the addresses of the account, with primary and verified", async () => {
    const { steps } = await signIn({ provider: "github", as: "ada", outcome: "email_primary_not_verified" });
    const { answered } = decided(steps)!;
    expect(answered).toMatchObject({ "0.primary": true, "0.verified": false, "1.primary": false, "1.verified": true });
  });

  it("shows what was registered and what was asked", async () => {
    const address = "https://other.test/cb?secret=1";
    const query = new URLSearchParams({ provider: "github", instance: "globex", redirect_uri: address });
    await fetch(`${server.url}/oauth/authorize?${query.toString()}`, { redirect: "manual" });
    const [flow] = (await control("GET /flows?error=invalid_redirect_uri&limit=1")).body;
    const step = decided(flow.data.steps as Step[])!;
    expect([step.name, step.sent!["redirect_uri"]]).toEqual(["begin", "https://other.test/cb"]);
    expect(step.answered!["registered"]).toMatch(/^https?:\/\//);
    expect(flow.data.reason).toMatch(/^The redirect_uri was refused: it is not one of the redirect_uris of Globex/);
  });
});

describe("Failures by reason", () => {
  it("are counted over all that is kept, with the people, and lead to their flows", async () => {
    for (const as of ["ada", "grace", "ada"]) await signIn({ provider: "google", as, outcome: "rate_limited" });
    const { failures } = (await control("GET /flows/summary?provider=google")).body;
    const group = failures.find(({ reason }: { reason: string }) => reason.includes("limits the rate"));
    expect(group).toMatchObject({ error: "temporarily_unavailable", providers: ["google"], count: 4 });
    expect(group.people).toEqual(["Ada Lovelace", "Grace Hopper"]);
    expect(await found({ reason: group.filter, provider: "google" })).toHaveLength(4);
    const total = failures.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    expect(total).toBe((await found({ result: "error", provider: "google" })).length);
  });

  it("differ by more than what they quote", async () => {
    const begin = async (redirect_uri: string): Promise<void> => {
      const query = new URLSearchParams({ provider: "github", instance: "globex", redirect_uri });
      await fetch(`${server.url}/oauth/authorize?${query.toString()}`, { redirect: "manual" });
    };
    await begin("https://a.test/cb");
    await begin("https://b.test/cb");
    const { failures } = (await control("GET /flows/summary?error=invalid_redirect_uri&since=1h")).body;
    expect(failures).toHaveLength(1);
  });

  it("are counted by period", async () => {
    const { body } = await control("GET /flows/summary?since=15m&periods=15");
    expect(body.periods).toHaveLength(15);
    const sum = body.periods.reduce(
      (all: number, { results }: { results: { error: number } }) => all + results.error,
      0,
    );
    expect(sum).toBe(body.results.error);
    for (const query of ["periods=3", "periods=0&since=1h", "periods=101&since=1h", "since=yesterday"])
      expect((await control(`GET /flows/summary?${query}`)).status).toBe(400);
  });
});

describe("Sign-ins are found", () => {
  it("by a person's name, login, e-mail address or id, also those that failed", async () => {
    const { id: failed } = await signIn({ provider: "github", as: "ada", outcome: "email_not_verified" });
    const { id: worked } = await signIn({ provider: "twitter", as: "ada" });
    const { user_id } = (await control(`GET /flows/${worked}`)).body.data;
    for (const user of ["ada", "ADA", " Ada Lovelace ", "lovelace ada"])
      expect(await found({ user }), user).toEqual(expect.arrayContaining([failed, worked]));
    expect(await found({ user: "ada@home.test" })).toContain(failed);
    expect(await found({ user: user_id })).toContain(worked);
    expect(await found({ user: (user_id as string).slice(0, 8) })).toContain(worked);
    expect(await found({ user: "adal" })).toEqual([]);
    expect((await control("GET /flows?user=%20")).status).toBe(400);
  });

  it("by a hint that no account has", async () => {
    const query = new URLSearchParams({ provider: "github", redirect_uri: `${server.url}/__svc/signed-in` });
    query.set("login_hint", "stranger-7");
    await fetch(`${server.url}/oauth/authorize?${query.toString()}`, { redirect: "manual" });
    expect(await found({ user: "Stranger-7" })).toHaveLength(1);
  });

  it("by time, and by a part of the reason", async () => {
    const { id } = await signIn({ provider: "google", as: "ada", outcome: "token_error" });
    expect(await found({ since: "1m", reason: "TOKEN endpoint answered 500" })).toContain(id);
    expect(await found({ until: "1m" })).not.toContain(id);
    expect(await found({ since: "1970-01-01T00:00:00+02:00", until: "2000-01-01T00:00:00Z" })).toEqual([]);
    expect(await found({ since: "99999999999999d" })).toContain(id);
  });
});
