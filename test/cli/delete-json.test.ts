import { describe, expect, it } from "vitest";
import { ADA, NOBODY } from "../_setup.ts";
import { broken, CHARLES, GRACE, left, noOutcomes, remove, useDeletions, withFaults } from "./_deletions.ts";

useDeletions();

const STRANGER = "00000000-0000-4000-8000-00000000fffe";

describe("svc users delete --json", () => {
  it.each<[what: string, args: string[], stdin: string, form: object]>([
    ["one id", [ADA], "", { deleted: [ADA] }],
    ["one address", ["ada@acme.test"], "", { deleted: [ADA] }],
    ["one id on standard input", ["-"], ADA, { deleted: [ADA] }],
    ["a query that matches one", ["--query", "email:ada@acme.test", "--expect", "1"], "", { deleted: [ADA] }],
    ["a dry run", [GRACE, NOBODY, "-n"], "", { dry_run: true, gone: [NOBODY], not_attempted: [GRACE] }],
    ["some who exist", ["-"], `${ADA}\n${NOBODY}`, { deleted: [ADA], gone: [NOBODY] }],
  ])("prints the same form for %s", async (_, args, stdin, form) => {
    const { code, stdout } = await remove([...args, "--yes", "--json"], { stdin });
    expect([code, JSON.parse(stdout)]).toEqual([0, { ...noOutcomes(), ...form }]);
  });

  it.each<[what: string, args: string[], stdin: string, gone: string[]]>([
    ["one id", [NOBODY], "", [NOBODY]],
    ["one id on standard input", ["-"], NOBODY, [NOBODY]],
    ["several ids", [NOBODY, STRANGER], "", [NOBODY, STRANGER]],
    ["several ids on standard input", ["-"], `${NOBODY}\n${STRANGER}`, [NOBODY, STRANGER]],
    ["a dry run of a list", ["-", "-n"], "gone@acme.test\n", ["gone@acme.test"]],
  ])("ends with 3 for %s if none of the users exist", async (_, args, stdin, gone) => {
    const { code, stdout, stderr } = await remove([...args, "--yes", "--json"], { stdin });
    expect([code, JSON.parse(stdout)]).toEqual([
      3,
      { ...noOutcomes(), dry_run: args.includes("-n"), gone: expect.arrayContaining(gone) as string[] },
    ]);
    const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1)!) as { error: object };
    expect(error).toMatchObject({ code: "user_not_found", exitCode: 3 });
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });

  it("names what failed for one user as for many", async () => {
    const { code, stdout } = await remove([CHARLES, "--yes", "--json"], { fetch: withFaults(() => broken()) });
    const failed = [{ id: CHARLES, code: "internal", error: "Internal error" }];
    expect([code, JSON.parse(stdout)]).toEqual([7, { ...noOutcomes(), failed }]);
  });
});

it("svc users delete prints a sentence for one user on a terminal, and nothing beside the error if it is gone", async () => {
  const options = { tty: true, env: { NO_COLOR: "1" } };
  expect((await remove([ADA, "--yes"], options)).stdout).toBe(`Deleted ${ADA}\n`);
  const gone = await remove([ADA, "--yes"], options);
  expect([gone.code, gone.stdout, gone.stderr]).toEqual([
    3,
    "",
    expect.stringContaining("✗ User not found (acme.localhost:7820, instance acme).\n"),
  ]);
});
