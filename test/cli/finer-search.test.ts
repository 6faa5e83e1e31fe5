import { beforeEach, describe, expect, it } from "vitest";
import { runCli, type CliResult } from "../_cli.ts";
import { SEED, setup, type Service } from "../_setup.ts";

const ADDRESSES = ["10.0.0.1", "10.127.9.9", "10.128.0.1", "11.0.0.1", "2001:db8::1", "2001:db8:0:1::1", "2001:db9::1"];
const NAMES = ["Ada Lovelace", "Lovelace, Ada", "Ada King", "Byron Lovelace", "Ädá Lövelace"];

let service: Service;
beforeEach(async () => {
  const users = NAMES.map((name, i) => ({
    email: `u${i}@acme.test`,
    name,
    created_at: `2026-01-0${9 - i}T09:00:00Z`,
    sessions: ADDRESSES.filter((_, n) => n % NAMES.length === i).map((ip_address) => ({
      provider: "google",
      ip_address,
    })),
  }));
  service = await setup({ seed: { instances: [{ ...SEED.instances[0], users }] } });
});

const run = (...argv: string[]): Promise<CliResult> => runCli(argv, { service });
const sentBy = ({ requests }: CliResult): (string | null)[] =>
  requests.map(({ url }) => new URL(url).searchParams.get("query"));

describe("--ip with a network", () => {
  it.each<[networks: string[], sent: string, found: string[]]>([
    [["10.0.0.0/8"], "ip_address:10.*", ["10.0.0.1", "10.127.9.9", "10.128.0.1"]],
    [["10.127.0.0/16"], "ip_address:10.127.*", ["10.127.9.9"]],
    [["10.128.0.1"], "ip_address:10.128.0.1", ["10.128.0.1"]],
    [["2001:db8:*"], "ip_address:2001:db8:*", ["2001:db8::1", "2001:db8:0:1::1"]],
    [["2001:0DB8:0:0::1"], "ip_address:2001:db8::1", ["2001:db8::1"]],
    [["10.127.9.0/24", "11.0.0.1"], "ip_address:10.127.9.* ip_address:11.0.0.1", ["10.127.9.9", "11.0.0.1"]],
  ])("%j asks for %s, and prints and counts what is in it", async (networks, sent, found) => {
    const flags = networks.flatMap((network) => ["--ip", network]);
    const listed = await run("sessions", "search", ...flags, "--json");
    expect(sentBy(listed)).toEqual([sent]);
    const rows = JSON.parse(listed.stdout) as { data: { ip_address: string } }[];
    expect(rows.map(({ data }) => data.ip_address).toSorted()).toEqual(found.toSorted());
    expect((await run("sessions", "search", ...flags, "--count")).stdout).toBe(`${found.length}\n`);
  });
});

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
