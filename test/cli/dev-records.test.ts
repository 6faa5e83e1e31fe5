// Tokens that are decoded, and a clock that another server tells: see transcripts/dev.txt for the rest.
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

it("svc dev token changes claims, with values in JSON or text", async () => {
  const claims = "--claim role=admin --claim name=null --claim level=7 --claim note=a=b --omit email";
  const { stdout } = await svc(`dev token --user ada ${claims}`);
  expect(decodeJwt(stdout.trim())).toMatchObject({ role: "admin", name: null, level: 7, note: "a=b" });
  expect(decodeJwt(stdout.trim())).not.toHaveProperty("email");
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

it.each([
  ["frozen", -1_200, "real_time\t2026-06-01T12:00:01.200Z\n"],
  ["running", 90_061_000, "real_time\t2026-05-31T10:58:59.000Z\n"],
  ["real", 0, ""],
])("svc dev clock prints %s with an offset of %i ms beside the real time", async (mode, offset_ms, more) => {
  const clock = { now: "2026-06-01T12:00:00.000Z", mode, offset_ms };
  const { stdout } = await svc("dev clock", { fetch: answering(200, JSON.stringify(clock)) });
  expect(stdout).toBe(`now\t${clock.now}\nmode\t${mode}\n${more}`);
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
