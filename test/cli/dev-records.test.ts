import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { TOKEN_KINDS } from "../../src/wire/claims.ts";
import { answering } from "../_answering.ts";
import { answerOf, server, svc, useDevServer } from "../_dev-server.ts";

useDevServer();

interface Token {
  readonly token: string;
  readonly kind: string;
  readonly expect: { readonly status: number; readonly error: string | null };
}
interface Clock {
  readonly now: string;
  readonly mode: string;
}

/** The product API's answer about a token. */
async function verify(token: string): Promise<{ status: number; error: string | null }> {
  const response = await fetch(`${server.url}/api/v1/tokens/verify`, {
    method: "POST",
    headers: { "x-service-secret-key": server.instances[0]!.secret_key, "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const { error = null } = (await response.json()) as { error?: string };
  return { status: response.status, error };
}

it("svc dev token prints only the token", async () => {
  const { code, stdout } = await svc("dev token --user ada");
  expect(code).toBe(0);
  expect(await verify(stdout.trim())).toEqual({ status: 200, error: null });
});

it("svc dev token and svc dev next change claims and fields, with values in JSON or text", async () => {
  const claims = "--claim role=admin --claim name=null --claim level=7 --claim note=a=b --omit email";
  const { stdout } = await svc(`dev token --user ada ${claims}`);
  expect(decodeJwt(stdout.trim())).toMatchObject({ role: "admin", name: null, level: 7, note: "a=b" });
  expect(decodeJwt(stdout.trim())).not.toHaveProperty("email");
  const { data } = await answerOf<{ data: object }>(
    "dev next github --field name=null --field login=countess --omit id",
  );
  expect(data).toMatchObject({ profile: { name: null, login: "countess" }, omit: ["id"] });
  const { code, stderr } = await svc("dev token --claim role");
  expect([code, stderr]).toEqual([2, expect.stringContaining('--claim: "role" is not name=value.')]);
});

it("svc dev token --all prints one token of each kind, and the service answers each as described", async () => {
  const tokens = await answerOf<Token[]>("dev token --user ada --all");
  expect(tokens.map(({ kind }) => kind)).toEqual([...TOKEN_KINDS]);
  for (const { token, expect: told } of tokens) expect(await verify(token)).toEqual(told);
});

it("svc dev token --all prints the same bytes while the clock is frozen", async () => {
  await answerOf("dev clock freeze 2026-01-31T12:00:00Z");
  const [first, second] = [await svc("dev token --all --output json"), await svc("dev token --all --output json")];
  expect(first.stdout).toBe(second.stdout);
  expect(first.code).toBe(0);
  await answerOf("dev clock reset");
});

it("svc dev token refuses contradictory options", async () => {
  expect((await svc("dev token --kind expired --expires-in 60")).code).toBe(2);
  expect((await svc("dev token --kind valid --all")).code).toBe(2);
  expect((await svc("dev token --user nobody@acme.test")).code).toBe(3);
  expect((await svc("dev token --expires-in -5 --kind expired")).code).toBe(0);
});

it("svc dev clock freezes, sets, advances, resumes and resets the server's time", async () => {
  const freeze = await answerOf<Clock>("dev clock freeze 2026-01-31");
  expect(freeze).toMatchObject({ now: "2026-01-31T00:00:00.000Z", mode: "frozen" });
  expect(await answerOf("dev clock advance 1h30m")).toMatchObject({ now: "2026-01-31T01:30:00.000Z" });
  expect(await answerOf("dev clock advance 2026-02-01T00:00:00Z")).toMatchObject({ now: "2026-02-01T00:00:00.000Z" });
  expect((await answerOf<Clock>("dev clock resume")).mode).toBe("running");
  expect((await answerOf<Clock>("dev clock set 2027-01-01T00:00:00+01:00")).now).toMatch(/^2026-12-31T23:00:/);
  expect((await svc("dev clock advance 2026-01-01")).code).toBe(2);
  expect((await svc("dev clock set 2027-01-01T00:00")).stderr).toContain("with its time zone");
  expect((await svc("dev clock set 2026-02-31")).stderr).toContain('"2026-02-31" is not a time.');
  expect((await svc("dev clock")).stdout).toMatch(/^now\t2026-12-31T23:.*\nmode\trunning\nreal_time\t.*Z\n$/);
  expect((await answerOf<Clock>("dev clock reset")).mode).toBe("real");
});

it.each([
  ["frozen", -1_200, "real_time\t2026-06-01T12:00:01.200Z\n"],
  ["running", 90_061_000, "real_time\t2026-05-31T10:58:59.000Z\n"],
  ["real", 0, ""],
])("svc dev clock prints %s with an offset of %i ms beside the real time", async (mode, offset_ms, more) => {
  const clock = { now: "2026-06-01T12:00:00.000Z", mode, offset_ms };
  const { stdout } = await svc("dev clock", { fetch: answering(200, JSON.stringify(clock)) });
  expect(stdout).toBe(`now\t${clock.now}\nmode\t${mode}\n${more}`);
});

it("svc dev snapshot saves all records and restores them after a reset", async () => {
  await answerOf("dev snapshot save before");
  const emptied = await answerOf<{ users: number }>("dev reset --instance acme --yes");
  expect((await svc("dev token --user ada")).code).toBe(3);
  const restored = await answerOf<{ data: { records: { users: number } } }>("dev snapshot restore before --yes");
  expect(restored.data.records.users).toBeGreaterThan(emptied.users);
  expect((await svc("dev token --user ada")).code).toBe(0);
  const { stdout } = await svc("dev snapshot list");
  expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual(
    expect.arrayContaining(["before", "previous-1", "previous-2"]),
  );
  expect((await svc("dev snapshot delete before --yes")).stderr).toContain("\nDeleted the snapshot before of http");
});

it("svc dev snapshot explains what is wrong with a name", async () => {
  expect((await svc(["dev", "snapshot", "save", "No Good"])).code).toBe(2);
  expect((await svc("dev snapshot restore missing --yes")).code).toBe(3);
  expect((await svc("dev snapshot delete ../../state --yes")).code).toBe(2);
});

it("svc dev token names a provider that the user has", async () => {
  const providerOf = async (line: string): Promise<string> => {
    const { stdout: token } = await svc(line);
    return (JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as { provider: string }).provider;
  };
  expect(await providerOf("dev token --user grace@acme.test")).toBe("github");
  expect(await providerOf("dev token --user grace@acme.test --provider twitter")).toBe("twitter");
  await answerOf("dev users create bo@acme.test");
  expect(await providerOf("dev token --user bo@acme.test")).toBe("google");
});

it("svc dev reset requires --instance or --all", async () => {
  expect(await svc("dev reset")).toMatchObject({ code: 2, stderr: expect.stringContaining("--all") as string });
  const both = await svc("dev reset --all --instance acme");
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("which acts on all instances of a server.")]);
  expect((await svc("dev reset --all --yes")).code).toBe(0);
});
