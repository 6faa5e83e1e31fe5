// Tokens that are signed by hand, and another clock: see transcripts/tokens.txt for the rest.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createContext, runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { decodePart, setup, START, type Service } from "../_setup.ts";
import { sign } from "../_tokens.ts";

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
  return sign(service.acme.secret_key, { ...decodePart(token, 1), ...claims }, { ...decodePart(token, 0), ...header });
}

const BROKEN: [what: string, token: (service: Service) => Promise<string>, error: string, why: string][] = [
  ["of another type", (s) => forged(s, {}, { typ: "at+jwt" }), "Token invalid", "Its type is at+jwt, not JWT."],
  [
    "cut off",
    async (s) => (await s.tokenFor("google", "ada")).slice(0, -3),
    "Token invalid signature",
    "Its signature has 40 characters instead of 43. Check that it was copied completely.",
  ],
  ["too long", async () => "x".repeat(9000), "Token invalid signature", "It is longer than 8192 characters."],
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

  it("asks about what could name a file and does not: the name of a directory, and what is longer than a name", async () => {
    const cwd = temporaryDirectory();
    await mkdir(join(cwd, "hello"));
    for (const text of ["hello", "x".repeat(5000)]) {
      const { code, stderr } = await runCli(["tokens", "verify", text], { service: await setup(), cwd });
      expect([code, stderr.startsWith("✗ Token invalid signature\n")]).toEqual([5, true]);
    }
  });

  it("says of a token that expired by the service's clock only that this clock is ahead", async () => {
    const service = await setup();
    const stdin = await service.tokenFor("google", "ada");
    service.clock.advance(3601);
    const context = createContext({ service, stdin });
    await main(["tokens", "verify", "-"], { ...context, now: () => START });
    expect(context.written.stderr).toContain(
      "It expires in 1 hour (2026-06-01T13:00:00Z) here, but the service's clock is ahead.",
    );
  });
});
