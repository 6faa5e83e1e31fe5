import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { ADA, decodePart, encodePart, setup, START, type Service } from "../_setup.ts";

const LOCAL = { SVC_BASE_URL: undefined, SVC_API_URL: undefined };

function verify(
  service: Service,
  token: string,
  args: readonly string[] = [],
  options: CliOptions = {},
): Promise<CliResult> {
  return runCli(["tokens", "verify", "-", ...args], { service, stdin: token, ...options });
}

/** A token with other claims or another header, signed with acme's key. */
async function forged(service: Service, claims: object, header: object = {}): Promise<string> {
  const token = await service.tokenFor("google", "ada");
  const head = encodePart({ ...decodePart(token, 0), ...header });
  const body = encodePart({ ...decodePart(token, 1), ...claims });
  const signature = createHmac("sha256", service.acme.secret_key).update(`${head}.${body}`).digest("base64url");
  return `${head}.${body}.${signature}`;
}

const now = START.getTime() / 1000;
const BROKEN: [what: string, token: (service: Service) => Promise<string>, error: string, why: string][] = [
  [
    "expired",
    (s) => forged(s, { iat: now - 3780, exp: now - 180 }),
    "Token expired",
    "It expired 3 minutes ago (2026-06-01T11:57:00Z). It was issued to ada@acme.test.",
  ],
  [
    "issued in the future",
    (s) => forged(s, { iat: now + 600, exp: now + 4200 }),
    "Token invalid",
    "It was issued in the future: in 10 minutes (2026-06-01T12:10:00Z). Check the clocks.",
  ],
  [
    "valid for a day",
    (s) => forged(s, { exp: now + 86_400 }),
    "Token invalid",
    "Its lifetime is 86400 seconds; it must be from 1 to 3600.",
  ],
  [
    "of another issuer",
    (s) => forged(s, { iss: "evil\n✓ valid" }),
    "Token invalid",
    "Its issuer is evil\\u{a}✓ valid, not svc.",
  ],
  ["without exp", (s) => forged(s, { exp: undefined }), "Token invalid", "It has no exp."],
  [
    "without instance_id",
    (s) => forged(s, { instance_id: undefined }),
    "Token does not belong to this instance",
    "It has no instance_id.",
  ],
  [
    "whose nbf is an object",
    (s) => forged(s, { nbf: { valueOf: 1, toString: 1 } }),
    "Token invalid",
    "A claim has another type than it must have: sub and instance_id are text, iat and exp whole seconds, nbf a number.",
  ],
  ["without sub", (s) => forged(s, { sub: undefined }), "Token invalid", "It has no sub."],
  [
    "in the middle of spaces",
    async (s) => ` ${await s.tokenFor("google", "ada")} `,
    "Token invalid signature",
    "It contains a space or a line break. Check that it was copied in one piece.",
  ],
  [
    "not yet valid",
    (s) => forged(s, { nbf: now + 60 }),
    "Token invalid",
    "It is not valid yet: its nbf is in 1 minute (2026-06-01T12:01:00Z).",
  ],
  [
    "of another algorithm",
    (s) => forged(s, {}, { alg: "HS512" }),
    "Token invalid",
    "Its algorithm is HS512; only HS256 is accepted.",
  ],
  ["of another type", (s) => forged(s, {}, { typ: "at+jwt" }), "Token invalid", "Its type is at+jwt, not JWT."],
  [
    "unsigned",
    async (s) => `${encodePart({ alg: "none" })}.${(await s.tokenFor("google", "ada")).split(".")[1]}.`,
    "Token invalid signature",
    "Its algorithm is none; only HS256 is accepted.",
  ],
  [
    "cut off",
    async (s) => (await s.tokenFor("google", "ada")).slice(0, -3),
    "Token invalid signature",
    "Its signature has 40 characters instead of 43. Check that it was copied completely.",
  ],
  [
    "not a token",
    async () => "hello",
    "Token invalid signature",
    "A token has three parts, separated by dots; this one has 1.",
  ],
  [
    "broken over lines",
    async () => "a.b\nc.d",
    "Token invalid signature",
    "It contains a space or a line break. Check that it was copied in one piece.",
  ],
  ["too long", async () => "x".repeat(9000), "Token invalid signature", "It is longer than 8192 characters."],
  [
    "of another key",
    (s) => s.tokenFor("google", "ada").then((t) => `${t.slice(0, -43)}${"A".repeat(43)}`),
    "Token invalid signature",
    "It was signed with another key, or changed after it was signed.",
  ],
];

describe("svc tokens verify", () => {
  it.each(BROKEN)(
    "prints why a token that is %s is invalid, verified with the key and by the service",
    async (_, make, error, why) => {
      const service = await setup();
      const token = await make(service);
      for (const args of [["--local"], []]) {
        const { code, stdout, stderr } = await verify(service, token, args);
        const words = `✗ ${error}\n  ${why}\n`;
        expect([args, code, stdout, stderr.slice(0, words.length)]).toEqual([args, 5, "", words]);
      }
    },
  );

  it("makes no request with --local and needs only the key", async () => {
    const service = await setup();
    const { code, stdout, requests } = await verify(service, await service.tokenFor("google", "ada"), ["--local"], {
      env: LOCAL,
    });
    expect([code, requests]).toEqual([0, []]);
    expect(stdout).toContain(`valid\tyes\nuser_id\t${ADA}\nemail\tada@acme.test\n`);
    expect(stdout).toContain("expires_at\t2026-06-01T13:00:00.000Z\n");
  });

  it("prints the expiry on a terminal", async () => {
    const service = await setup();
    const { stdout } = await verify(service, await service.tokenFor("google", "ada"), ["--local"], {
      tty: ["stdout"],
      env: { NO_COLOR: "1" },
    });
    expect(stdout).toContain("expires_at  in 1 hour (2026-06-01T13:00:00Z)\n");
  });

  it("detects a deleted user only by asking the service", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    await service.client(service.acme).users.delete(ADA);
    expect((await verify(service, token, ["--local"])).code).toBe(0);
    const remote = await verify(service, token);
    const why = `It is signed and has not expired, but user ${ADA} was deleted, or never existed.`;
    expect([remote.code, remote.stderr]).toEqual([3, `✗ User not found\n  ${why}\n`]);
    expect(JSON.parse((await verify(service, token, ["--json"])).stdout)).toMatchObject({
      valid: false,
      code: "user_not_found",
      error: "User not found",
      user_id: null,
      checked: "remote",
    });
  });

  it("names the instance of a token", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada", service.globex);
    const remote = await verify(service, token);
    expect(remote.stderr).toBe(
      `✗ Token does not belong to this instance\n  It was issued for instance ${service.globex.id}.\n  The key is that of instance acme (${service.acme.id}).\n`,
    );
  });

  it("prints the same as JSON", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    const valid = await verify(service, token, ["--local", "--json"]);
    const ada = { user_id: ADA, email: "ada@acme.test", name: "Ada Lovelace", provider: "google" };
    const avatar_url = expect.stringContaining("ada.svg") as string;
    expect([valid.code, JSON.parse(valid.stdout)]).toEqual([
      0,
      {
        valid: true,
        code: null,
        error: null,
        reason: null,
        ...ada,
        avatar_url,
        expires_at: "2026-06-01T13:00:00.000Z",
        checked: "local",
      },
    ]);
    const invalid = await verify(service, "x.y.z", ["--local", "--json"]);
    expect([invalid.code, JSON.parse(invalid.stdout)]).toEqual([
      5,
      {
        valid: false,
        code: "token_invalid_signature",
        error: "Token invalid signature",
        reason: "It cannot be decoded. Check that it was copied completely.",
        user_id: null,
        email: null,
        name: null,
        provider: null,
        avatar_url: null,
        expires_at: null,
        checked: "local",
      },
    ]);
  });

  it.each([[[]], [["--local"]]])("prints nothing with -q %j", async (how) => {
    const service = await setup();
    for (const [token, exit] of [
      [await service.tokenFor("google", "ada"), 0],
      ["x.y.z", 5],
    ] as const)
      expect(await verify(service, token, [...how, "-q"])).toMatchObject({ code: exit, stdout: "", stderr: "" });
  });

  it("never prints the token, and accepts it with the scheme of its header", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    for (const text of [`Bearer ${token}\n`, `${token.slice(0, -4)}AAAA`, token.slice(0, -9)]) {
      for (const args of [[], ["--json"], ["--local"]]) {
        const { stdout, stderr } = await verify(service, text, args);
        expect(stdout + stderr).not.toContain(token.split(".")[2]!.slice(0, 20));
      }
    }
    for (const pasted of [
      `Bearer ${token}\n`,
      `Authorization: Bearer ${token}`,
      `token=${token}`,
      `https://app.test/callback?nonce=x&token=${token}&next=1\n`,
    ])
      expect([pasted.slice(0, 12), (await verify(service, pasted)).code]).toEqual([pasted.slice(0, 12), 0]);
  });

  it("warns on a terminal about a token in an argument", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    const run = (...more: string[]): Promise<CliResult> =>
      runCli(["tokens", "verify", token, ...more], { service, tty: true });
    expect((await run()).stderr).toContain("keeps a token that is an argument");
    expect((await run("-q")).stderr).toBe("");
    expect((await run("--json")).stderr).toBe("");
  });

  it.each<[args: string[], env: Record<string, string | undefined>, code: number, message: string]>([
    [["--local"], { SVC_SECRET_KEY: "sk_short" }, 2, "SVC_SECRET_KEY must have at least 32 characters"],
    [
      ["--local"],
      { SVC_SECRET_KEY: undefined, ...LOCAL },
      4,
      "No secret key to verify the token with.\n  Set SVC_SECRET_KEY.",
    ],
  ])("refuses %j with %j", async (args, env, code, message) => {
    const service = await setup();
    const result = await verify(service, "x.y.z", args, { env });
    expect([result.code, result.stdout, result.stderr]).toEqual([code, "", expect.stringContaining(message)]);
  });
});

describe("svc tokens decode", () => {
  it("prints the token's content and that this proves nothing", async () => {
    const service = await setup();
    const token = await forged(service, { email: "\u001b[31mevil" }, { alg: "HS512" });
    const decode = (...more: string[]): Promise<CliResult> =>
      runCli(["tokens", "decode", "-", ...more], { stdin: token });
    const { code, stdout, stderr } = await decode();
    expect([code, stderr]).toEqual([0, "Not verified: anyone can write such a token.\n"]);
    expect(stdout).toContain("email\t\\u{1b}[31mevil\n");
    expect(stdout).toContain("exp\t2026-06-01T13:00:00.000Z\n");
    expect(stdout).not.toContain("HS512");
    const json = await decode("--json");
    expect([json.stderr, JSON.parse(json.stdout)]).toEqual([
      "",
      { verified: false, header: decodePart(token, 0), claims: decodePart(token, 1) },
    ]);
  });

  it("needs no key and no service", async () => {
    const { requests, code } = await runCli(["tokens", "decode"], { stdin: await forged(await setup(), {}) });
    expect([code, requests]).toEqual([0, []]);
  });

  it.each(["hello", "a.b.c", "eyJhbGciOiJIUzI1NiJ9.e30"])("refuses %j, which is not a token", async (stdin) => {
    expect(await runCli(["tokens", "decode"], { stdin })).toMatchObject({ code: 2, stdout: "" });
  });
});
