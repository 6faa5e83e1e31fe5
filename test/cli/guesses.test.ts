import { expect, it } from "vitest";
import { ERRORS_PAGE } from "../../src/cli/errors.ts";
import { GUESSED_COMMANDS } from "../../src/cli/help/guesses.ts";
import { runCli } from "../_cli.ts";
import { commandPaths } from "../_every-command.ts";
import { setup } from "../_setup.ts";

/** Commands that users of other tools type first, and the suggestion they get. */
it.each<[line: string, hint: string]>([
  ["search ada", "svc users search"],
  ["verify", "svc tokens verify"],
  ["log", "svc logs"],
  ["keys", "svc env"],
  ["reset", "svc dev reset"],
  ["users create bo@acme.test", "svc dev users create"],
  ["users update ada@acme.test --name Ada", "svc dev users update <user>"],
  ["users export ada@acme.test", "svc users get <user> --sessions --json"],
  ["users constructor", "See svc users --help."],
  ["sessions revoke x", "svc dev sessions revoke <session_id>"],
  ["sessions end x", "svc dev sessions revoke <session_id>"],
  ["instances create umbrella", "svc dev instances create <subdomain>"],
  ["dev users list", "svc users list"],
  ["dev sign-in", "svc sign-in"],
  ["find ada", "svc users search or svc sessions search"],
  ["get ada", "svc users get <user> or svc sessions get <session_id>"],
  ["create bo@acme.test", "svc dev users create <email>"],
  ["export", "svc store export"],
  ["logs 2aa3d6edf1ffd994", "svc logs --flow 2aa3d6edf1ffd994"],
  ["tokens verify --file token.txt", "svc tokens verify - < token.txt"],
  ["use globex", "--instance <name>"],
  ["status", "svc doctor"],
  ["auth login", "Did you mean: svc login, svc logout or svc whoami?"],
  ["--profile acme auth login", "Did you mean: svc login"],
  ["--profile acme users show x", "svc users get"],
  ["ls", "svc users list"],
  ["start", "svc serve"],
  ["user list", "svc users"],
  ["users show ada", "svc users get"],
  ["users find ada", "svc users search"],
  ["users rm 1", "svc users delete"],
  ["sessions show x", "svc sessions get"],
  ["tokens check", "svc tokens verify"],
  ["users list -o json", "--output"],
  ["users list --format json", "--output"],
  ["users list --provider github", "svc users search --provider github"],
  ["users search --active", "svc sessions search --active"],
  ["users list --active", "svc sessions search --active"],
  ["users search ada@acme.test", "email:ada@acme.test"],
  ["users list --since 7d", "svc users search --since 7d"],
  ["users delete --email-domain acme.test", "svc users delete --query"],
  ["users list ada", "svc users search name.contains=ada"],
  ["init --force", "choose another directory with --dir"],
  ["users delete --force", "Use --yes, with --expect for a query."],
  ["store repair --force", "Use --yes."],
  ["user", "svc users"],
  ["users search email~ada", "Did you mean email.contains=ada?"],
  ["users search email!=ada@acme.test", "Did you mean -email:ada@acme.test?"],
  ["users search email.ends:@acme.test", "After a name with a dot comes =, as in email.ends=value."],
  ["users search not.email:ada@acme.test", "After a name with a dot comes =, as in not.email=value."],
  ["users search 7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "id:7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01"],
  ["sessions search 7F3C2A10-5b1e-4c55-9d0a-1f6f0d6f6a01", "user_id:7F3C2A10-5b1e-4c55-9d0a-1f6f0d6f6a01"],
  ["users search created_at>=2026-01-01 10:00", "Write a time without a space, such as 2026-01-31T23:59:59Z."],
  ["users search --not name~Ada", "Did you mean not.name.contains=Ada?"],
  ["users search *ada*", "name.contains=ada"],
  ["users search EMAIL:ada@acme.test", 'Did you mean "email"?'],
  ["users search Created_At.gte=2026-01-01", 'Did you mean "created_at"?'],
  ["users search created_at:yesterday", "--since 1d"],
  ["sessions search last_signin_at.gte=yesterday", "--since 1d"],
  ["dev next --outcome acces_denied", "Did you mean access_denied?"],
  ["dev next access_denied", "Did you mean --outcome access_denied?"],
  ["api /api/v1/users", "Write the method first: svc api GET /api/v1/users"],
  ["sign-in --provider githb", "Did you mean github?"],
  ["serve --providers simulate", "Did you mean simulated?"],
  ["serve --log-level verbose", "Use one of debug, info, warn, error."],
  ["query explain name:ada", "svc users search --explain"],
  ["config get base_url", "svc login, svc profiles or svc whoami"],
  ["users delete --all", "svc users delete --query 'created_at>=2000-01-01' --dry-run"],
  ["users search --domain acme.test", "Use: --email-domain acme.test\n"],
  ["users search --created-after 2026-01-01", "Use: --since 2026-01-01\n"],
  ["users list --columns email", "Use --fields."],
  ["tokens verify --token eyJ", "svc tokens verify - < token.txt"],
  ["logs ada@acme.test", "svc logs --user ada@acme.test\n"],
  ["dev clock get", "Did you mean: svc dev clock show?"],
  ["dev clock now", "Unknown command 'now'"],
  ["dev clock advance -5m", "svc dev clock set <time>"],
  ["dev keys rotate acme", "svc dev keys rotate --instance acme"],
  ["dev reset acme", "svc dev reset --instance acme"],
  ["usres list", "Did you mean users?"],
  ["users list --limti 5", "Did you mean --limit?"],
  ["exec ls -l", "Put -- before the command: svc exec -- ls -l\n"],
  ["exec npm run test:one --reporter=x", "Put -- before the command: svc exec -- npm run test:one --reporter=x\n"],
  ["exec --sed seed.json", "Put -- before the command: svc exec -- <command>\n"],
  ["exec --sed seed.json -- ls", "See svc exec --help."],
  ["dev users create --email x@y.test", "Use: svc dev users create x@y.test\n"],
  ["dev users create --email=x@y.test", "Use: svc dev users create x@y.test\n"],
  ["dev users create --email", "Use: svc dev users create <value>\n"],
  ["dev seed --users 300", "Use: svc dev seed --generate 300\n"],
  ["users get Ada Lovelace", "svc users search --name 'Ada Lovelace'"],
  ["users get --email ada@acme.test", "Use: svc users get ada@acme.test\n"],
  ["users get email:ada@acme.test", "svc users search email:ada@acme.test"],
  ["users ada@acme.test", "Did you mean: svc users get ada@acme.test?"],
  ["sessions ada@acme.test", "Did you mean: svc sessions search --email ada@acme.test?"],
  ["tokens eyJhbGciOi", "Did you mean: svc tokens verify - < token.txt?"],
  ["users info ada@acme.test", "svc users get <user>"],
  ["users lookup ada", "svc users search"],
  ["users purge", "svc users delete"],
  ["users restore ada@acme.test", "a deletion cannot be undone"],
  ["users logout ada@acme.test", "svc dev sessions revoke <session_id>"],
  ["users reset-password ada@acme.test", "svc users get <user>"],
  ["users impersonate ada@acme.test", "svc dev token --user <user>"],
  ["users merge a b", "users cannot be merged"],
  ["users inactive", "svc users search --until 90d"],
  ["users download", "svc users list --output csv"],
  ["users delete --email ada@acme.test", "Use: svc users delete ada@acme.test\n"],
  ["users delete --id x", "Use: svc users delete x\n"],
  ["users search --username ada", "Use: --name ada\n"],
  ["users search --from 2026-01-01", "Use --since."],
  ["users search --last 7d", "Use --since."],
  ["users search --verified=false", "Use: --verified alone, or --unverified\n"],
  ["users search --not-verified", "Use: --unverified\n"],
  ["users list --sort created_at --desc", "--sort -created_at"],
  ["users list --sort created_at desc", "--sort -created_at"],
  ["users list --pretty", "Use --json"],
  ["users remove x --dry", "svc users delete"],
  ["sessions search --inactive", "Use: --revoked\n"],
  ["sessions search --country DE", "geo_data"],
  ["sessions logout x", "svc dev sessions revoke <session_id>"],
  ["tokens introspect x", "svc tokens verify"],
  ["profiles switch production", "svc profiles use <name>"],
  ["profiles current", "svc whoami"],
  ["login production", "Use: svc login --profile production\n"],
  ["audit", "svc logs"],
  ["undo", "a deletion cannot be undone"],
  ["stats", "svc users list --count"],
  ["man users", "svc help <command>"],
  ["api POST /api/v1/tokens/verify --data {}", "Use: -F <name>=<text>, or --input <file>"],
])("svc %s exits with 2 and says what to type instead", async (line, hint) => {
  const { code, stdout, stderr } = await runCli(line.split(" "));
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(hint);
  expect(stderr).toMatch(/^✗ /);
});

it.each([
  ...["block", "ban", "suspend", "lock", "disable"].map((verb) => [
    `users ${verb} ada@acme.test`,
    "Users can't be blocked.",
  ]),
  ["tokens revoke x", "Tokens can't be revoked"],
])("svc %s is answered with what ends a session, and not with a deletion", async (line, said) => {
  const { code, stderr } = await runCli(line!.split(" "));
  expect([code, stderr]).toEqual([2, expect.stringContaining(said!)]);
  expect(stderr).toContain("svc dev sessions revoke <session_id>, which needs the control API.\n");
  expect(stderr).not.toMatch(/delete|Did you mean/);
});

it.each(["user list", "session list", "users ls", "log"])("svc %s suggests one command once", async (line) => {
  const { code, stderr } = await runCli(line.split(" "));
  expect([code, stderr.match(/Did you mean/g)]).toEqual([2, ["Did you mean"]]);
});

it.each([
  [["--json"], { npm_command: "exec" }, "npx svc-identity users --help"],
  [[], { npm_command: "exec" }, "npx svc-identity users --help"],
  [["--json"], {}, "svc users --help"],
  [[], {}, "svc users --help"],
])("a hint with %j and %j names a command that works there", async (flags, env, command) => {
  const { stderr } = await runCli(["users", "nonsense", ...flags], { env });
  expect(stderr).toContain(`See ${command}.`);
});

it.each([
  ["users list --format json", "✗ Unknown option '--format'.\n  Use --output.\n"],
  ["users list --provider github", "✗ Unknown option '--provider'.\n  Use: svc users search --provider github\n"],
  ["dev next --outcome acces_denied", '✗ --outcome: unknown outcome "acces_denied".\n  Did you mean access_denied?\n'],
  [
    "sessions search created_at:yesterday",
    '✗ "yesterday" is not a valid date for created_at. Write 2026-01-31 or 2026-01-31T23:59:59Z.\n',
  ],
  ["completion foo", '✗ Unknown shell "foo".\n  Use one of bash, zsh, fish, powershell.\n'],
  ["open dashbord", '✗ Unknown page "dashbord".\n  Did you mean dashboard?\n'],
  ["dev users generate --help", "✗ Unknown command 'generate'.\n  See svc dev users --help.\n"],
  ["dev clock nonsense -h", "✗ Unknown command 'nonsense'.\n  See svc dev clock --help.\n"],
  ["dev help clok", "✗ Unknown command 'clok'. Did you mean clock?\n  See svc dev --help.\n"],
  ["usres --help", "✗ Unknown command 'usres'. Did you mean users?\n  See svc --help.\n"],
  [
    "users search created_at.contains=2026",
    '✗ "created_at" is a date and takes no wildcard. Write created_at:2026-01-31 or created_at>=2026-01-31.\n',
  ],
  ["users list --srot name", "✗ Unknown option '--srot'. Did you mean --sort?\n  See svc users list --help.\n"],
])("svc %s suggests one thing only", async (line, said) => {
  expect((await runCli(line.split(" "))).stderr).toBe(said);
});

it.each([
  ["users", "svc users"],
  ["dev snapshot", "svc dev snapshot"],
  ["", "svc"],
])("svc %s with --json and without its command is an error in JSON", async (line, path) => {
  const { code, stdout, stderr } = await runCli([...line.split(" ").filter(Boolean), "--json"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: "usage",
      message: "No command given.",
      hint: `See ${path} --help.`,
      docs: `${ERRORS_PAGE}#usage`,
      exitCode: 2,
    },
  });
});

it("the message for an empty list names a command that works there", async () => {
  const argv = ["sessions", "search", "user_id:ada@acme.test"];
  const { stderr } = await runCli(argv, { service: await setup(), tty: true, env: { npm_command: "exec" } });
  expect(stderr).toContain("Use: npx svc-identity sessions search email:ada@acme.test\n");
});

it("a hint names a command that works there, also for svc itself", async () => {
  const { stderr } = await runCli(["nonsense"], { env: { npm_command: "exec" } });
  expect(stderr).toContain("See npx svc-identity --help.");
});

it("every message escapes control characters of the command line", async () => {
  for (const argv of [["\u001b]0;x\u0007"], ["users", "\u001b[2K"], ["users", "list", "--\u009b31m"]]) {
    const { code, stderr } = await runCli(argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining("\\u{")]);
    // eslint-disable-next-line no-control-regex
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }
});

it("--sort and --after are refused together because they would skip rows", async () => {
  const { code, stderr } = await runCli(["users", "list", "--sort", "name", "--after", "x"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("mutually exclusive")]);
});

it("every command's help names the global options below its own", async () => {
  for (const argv of [["users", "list"], ["tokens", "verify"], ["store", "check"], ["login"]]) {
    const { stdout } = await runCli([...argv, "--help"]);
    for (const flag of ["--json", "--profile <name>", "--timeout <duration>", "--wait <duration>", "--output <format>"])
      expect(stdout).toContain(flag);
    expect(stdout.indexOf("Global options:")).toBeGreaterThan(stdout.indexOf("--help"));
    expect(stdout).not.toContain("a service that svc login has stored");
  }
});

it("Every guess is of a command that does not exist, and names commands that do", async () => {
  const paths = new Set(await commandPaths());
  const existing = Object.keys(GUESSED_COMMANDS).filter((guess) => paths.has(`svc ${guess}`));
  const unknown = Object.entries(GUESSED_COMMANDS).flatMap(([guess, hint]) =>
    [...hint.matchAll(/\bsvc [a-z][a-z-]*(?: [a-z][a-z-]*(?=[ ,;]|$))?/g)]
      .map(([command]) => command)
      .filter((command) => !paths.has(command) && !paths.has(command.split(" ").slice(0, 2).join(" ")))
      .map((command) => `${guess}: ${command}`),
  );
  expect([existing, unknown]).toEqual([[], []]);
});
