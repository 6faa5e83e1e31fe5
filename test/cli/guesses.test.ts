import { expect, it } from "vitest";
import { MISSING_COMMANDS } from "../../src/cli/help/guesses.ts";
import { runCli } from "../_cli.ts";
import { commandPaths } from "../_every-command.ts";
import { setup } from "../_setup.ts";

/** What users of other tools type first, and what they are told. */
it.each<[line: string, hint: string]>([
  ["search ada", "svc users search --name <text>"],
  ["ls", "svc sessions list"],
  ["verify", "svc tokens verify - < token.txt"],
  ["keys", "svc env"],
  ["status", "svc doctor"],
  ["auth login", "svc login"],
  ["start", "svc serve"],
  ["users create bo@acme.test", "svc dev users create"],
  ["users export ada@acme.test", "svc users list --output csv"],
  ["users count", "svc users list --count"],
  ["users merge a b", "Users can't be merged."],
  ["users undelete ada@acme.test", "A deletion can't be undone."],
  ["sessions end x", "svc dev sessions revoke <session_id>"],
  ["tokens issue", "svc dev token --user <user>"],
  ["users ada@acme.test", "svc users get ada@acme.test"],
  ["sessions ada@acme.test", "svc sessions search --user ada@acme.test"],
  ["tokens eyJhbGciOi", "svc tokens verify - < token.txt"],
  ["user find ada", "svc users search --name ada"],
  ["users find ada", "svc users search --name ada"],
  ["users search ada@acme.test", "Use: svc users get ada@acme.test"],
  ["sessions search ada@acme.test", "Use: svc sessions search --user ada@acme.test"],
  ["users search email==ada@acme.test", "Did you mean email:ada@acme.test?"],
  ["users search --limit 3", "svc users list --limit 3"],
  ["users --email ada@acme.test", "Use: svc users search --email ada@acme.test"],
  ["serve -p 3000", "--port"],
  ["users remove ada@acme.test", "svc users delete ada@acme.test"],
  ["tokens check x", "svc tokens verify"],
  ["logs -n 5", "Use --limit."],
  ["dashboard", "svc open dashboard"],
  ["switch prod", "svc profiles use"],
  ["users search email~ada", "Did you mean 'email:*ada*'?"],
  ["users search email!=ada@acme.test", "Did you mean -email:ada@acme.test?"],
  ["users search 7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "id:7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01"],
  ["users search created_at>=2026-01-01 10:00", "Write a time without a space, such as 2026-01-31T23:59:59Z."],
  ["users search EMAIL:ada@acme.test", 'Did you mean "email"?'],
  ["users search created_at:yesterday", "--since 1d"],
  ["users search --limit 3", "To list all: svc users list"],
  ["users get email:ada@acme.test", "svc users search email:ada@acme.test"],
  ["users list --format json", "Use --output json, --output csv"],
  ["users list -o json", "Use --output json, --output csv"],
  ["users list --columns email", "Use --fields."],
  ["users list --sort name", "--output tsv | sort"],
  ["users list --provider github", "Use: svc users search --provider github"],
  ["users list ada", "svc users search --name ada"],
  ["users search --active", "svc sessions search --active"],
  ["users search --domain acme.test", "Use --email-domain."],
  ["users search --verified", "-email_verified_at:null"],
  ["users delete --email-domain acme.test", "svc users search --email-domain acme.test --fields id"],
  ["users delete --force", "Use --yes."],
  ["logs 2aa3d6edf1ffd994", "svc logs --flow 2aa3d6edf1ffd994"],
  ["login production", "svc login --profile production"],
  ["dev keys rotate acme", "svc dev keys rotate --instance acme"],
  ["exec --sed seed.json", "Did you mean --seed?"],
  ["tokens verify --token eyJ", "svc tokens verify - < token.txt"],
  ["usres list", "Did you mean users?"],
  ["users list --limti 5", "Did you mean --limit?"],
  ["dev next --outcome acces_denied", "Did you mean access_denied?"],
  ["sign-in --provider githb", "Did you mean github?"],
  ["serve --log-level verbose", "Use one of debug, info, warn, error."],
  ["users constructor", "See svc users --help."],
  ["dev clock now", "See svc dev clock --help."],
])("svc %s exits with 2 and says what to type instead", async (line, hint) => {
  const { code, stdout, stderr } = await runCli(line.split(" "), { service: await setup() });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(hint);
  expect(stderr).toMatch(/^✗ /);
});

it.each([
  ["user list --count", "3\n"],
  ["users ls --count", "3\n"],
  ["users find name:ada* --count", "1\n"],
  ["session list --count", "3\n"],
])("svc %s is what it looks like", async (line, printed) => {
  expect(await runCli(line.split(" "), { service: await setup() })).toMatchObject({ code: 0, stdout: printed });
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

it.each([
  ["users search --name jose", "name:*jos*"],
  ["users search --name o'brien", "name:*brien*"],
  ["users search --name strasse", "name:*stra*"],
  ["users search id:024f21ba", "Write id:024f21ba*"],
])("svc %s finds nothing, and says what to type instead", async (line, hint) => {
  const { code, stderr } = await runCli(line.split(" "), { service: await setup(), tty: true });
  expect([code, stderr]).toEqual([0, expect.stringContaining(hint)]);
});

it.each([
  [["--json"], { npm_command: "exec" }, "npx svc-identity users --help"],
  [[], {}, "svc users --help"],
])("a hint with %j and %j names a command that works there", async (flags, env, command) => {
  const { stderr } = await runCli(["users", "nonsense", ...flags], { env });
  expect(stderr).toContain(`See ${command}.`);
});

it("the message for an empty list names a command that works there", async () => {
  const argv = ["sessions", "search", "user_id:ada@acme.test"];
  const { stderr } = await runCli(argv, { service: await setup(), tty: true, env: { npm_command: "exec" } });
  expect(stderr).toContain("Use: npx svc-identity sessions search email:ada@acme.test\n");
});

it("every message escapes control characters of the command line", async () => {
  for (const argv of [["\u001b]0;x\u0007"], ["users", "\u001b[2K"], ["users", "list", "--\u009b31m"]]) {
    const { code, stderr } = await runCli(argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining("\\u{")]);
    // eslint-disable-next-line no-control-regex
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }
});

it("Every guess is of a command that does not exist, and names commands that do", async () => {
  const paths = new Set(await commandPaths());
  const wrong = MISSING_COMMANDS.flatMap(([words, hint]) => {
    const [last = "", ...before] = words.split(" ").toReversed();
    const guessed = last.split("|").map((word) => ["svc", ...before, word].join(" "));
    const named = [...hint.matchAll(/\bsvc [a-z][a-z-]*(?: [a-z][a-z-]*(?=[ ,;.]|$))?/g)].map(([command]) => command);
    const unknown = named.filter((one) => !paths.has(one) && !paths.has(one.split(" ").slice(0, 2).join(" ")));
    return [...guessed.filter((one) => paths.has(one)), ...unknown];
  });
  expect(wrong).toEqual([]);
});
