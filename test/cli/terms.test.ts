import { describe, expect, it } from "vitest";
import { everyCommand } from "../_every-command.ts";
import { runCli } from "../_cli.ts";
import { setup, ADA } from "../_setup.ts";

describe("A negated term in arguments", () => {
  const search = ["sessions", "search"];

  it.each<[argv: string[], query: string]>([
    [[...search, "-provider:github"], "-provider:github"],
    [[...search, "email:ada*", "-provider:github"], "email:ada* -provider:github"],
    [[...search, "-provider:github", "email:ada*"], "email:ada* -provider:github"],
    [[...search, "-provider:github", "--limit", "5"], "-provider:github"],
    [[...search, "--limit", "5", "-provider:github"], "-provider:github"],
    [[...search, "--limit=5", "-provider:github", "--json"], "-provider:github"],
    [["--json", ...search, "-provider:github"], "-provider:github"],
    [["--timeout", "9", ...search, "-provider:github"], "-provider:github"],
    [[...search, "-provider:github", "--timeout", "9"], "-provider:github"],
    [[...search, "-provider:github", "-email:*@navy.test"], "-provider:github -email:*@navy.test"],
    [[...search, "--", "-provider:github"], "-provider:github"],
    [[...search, "-provider:github email:ada*"], "email:ada* -provider:github"],
    [[...search, "-ip_address:2001:db8::1*"], "-ip_address:2001:db8::1*"],
    [[...search, "-revoked_at:null"], "-revoked_at:null"],
  ])("%j sends the query %j", async (argv, query) => {
    const service = await setup();
    const { code, requests } = await runCli(argv, { service });
    const sent = requests.map(({ url }) => new URL(url).searchParams.get("query")!.split(" ").toSorted());
    expect([code, sent]).toEqual([0, [query.split(" ").toSorted()]]);
  });

  it.each([
    [[...search, "-host:x"]],
    [[...search, "-verified:yes"]],
    [[...search, "-query:x"]],
    [[...search, "-created_at>2026-01-01"]],
    [[...search, "-provider"]],
    [[...search, "-Provider:github"]],
    [[...search, "--limit", "-provider:github"]],
    [["-provider:github", ...search, "email:ada*"]],
    [["sessions", "-provider:github", "search", "email:ada*"]],
    [["sessions", "list", "-provider:github"]],
    [["users", "delete", ADA, "-yes:x"]],
    [["tokens", "verify", "-quiet:1"]],
  ])("%j is refused and not read as something else", async (argv) => {
    const service = await setup();
    const { code, stdout } = await runCli(argv, { service, stdin: "x.y.z" });
    expect([code, stdout]).toEqual([2, ""]);
    expect(await service.client(service.acme).users.find(ADA)).toBeDefined();
  });

  it("cannot be taken as an option's value, because no lower-case short option takes one", async () => {
    const commands = await everyCommand();
    const short = commands.flatMap(({ options }) => options.filter((option) => /^-[a-z]\b/.test(option)));
    expect(new Set(short)).toEqual(
      new Set(["-f, --follow", "-h, --help", "-i, --include", "-n, --dry-run", "-q, --quiet", "-y, --yes"]),
    );
  });
});
