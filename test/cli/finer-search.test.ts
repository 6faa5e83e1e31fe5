import { beforeEach, describe, expect, it } from "vitest";
import { runCli, type CliResult } from "../_cli.ts";
import { SEED, setup, type Service } from "../_setup.ts";

const NAMES = ["Ada Lovelace", "Lovelace, Ada", "Ada King", "Byron Lovelace", "Ädá Lövelace"];

let service: Service;
beforeEach(async () => {
  const users = NAMES.map((name, i) => ({
    email: `u${i}@acme.test`,
    name,
    created_at: `2026-01-0${9 - i}T09:00:00Z`,
  }));
  service = await setup({ seed: { instances: [{ ...SEED.instances[0], users }] } });
});

const run = (...argv: string[]): Promise<CliResult> => runCli(argv, { service });
const sentBy = ({ requests }: CliResult): (string | null)[] =>
  requests.map(({ url }) => new URL(url).searchParams.get("query"));

describe("--name with several words", () => {
  it("asks for the longest, and finds all of them in any order", async () => {
    const found = await run("users", "search", "--name", "ada LOVELACE", "--json");
    expect(sentBy(found)).toEqual(["name:*LOVELACE*"]);
    const names = (JSON.parse(found.stdout) as { data: { name: string } }[]).map(({ data }) => data.name);
    expect(names).toEqual(["Ada Lovelace", "Lovelace, Ada"]);
    expect((await run("users", "search", "--name", "ada lovelace", "--name", "king ada", "--count")).stdout).toBe(
      "3\n",
    );
  });

  it.each<[name: string, more: boolean]>([
    ["ada lovelace", true],
    ["ada king", false],
  ])("has --limit count the rows with all of %j alone, and says if there are more", async (name, more) => {
    const { stdout, stderr } = await runCli(["users", "search", "--name", name, "--limit", "1"], {
      service,
      tty: true,
    });
    expect([stdout.match(/u\d@acme/g)?.length, stderr.includes("More users exist")]).toEqual([1, more]);
  });
});
