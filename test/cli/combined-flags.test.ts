import { expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { setup } from "../_setup.ts";

const UUID = "00000000-0000-4000-8000-0000000000a1";

it.each<[line: string, found: string, either: string]>([
  [
    "users search --email-domain acme.test email:a*",
    `--email-domain acme.test beside 'email:a*' would find users whose email either starts with "a" or ends with "@acme.test".`,
    "'email:a*' 'email:*@acme.test'",
  ],
  [
    "users search --email ada@acme.test --email-domain navy.test",
    'users whose email either is "ada@acme.test" or ends with "@navy.test".',
    "email:ada@acme.test 'email:*@navy.test'",
  ],
  ["users search --name ada name:*hopper*", 'name either contains "hopper" or contains "ada"', "'name:*hopper*'"],
  ["users search --provider github provider:google", "--provider github beside provider:google", "provider:google"],
  ["users search --since 2026-02-01 created_at>=2026-01-01", "--since 2026-02-01 beside", "created_at>=2026-02-01"],
  [
    "users search --since 2026-02-01 --until 2026-03-01 created_at>=2025-01-01",
    "--since 2026-02-01 beside 'created_at>=2025-01-01'",
    "created_at>=2025-01-01",
  ],
  ["users search --since 2026-05-01 created_at<2026-01-01", "do not overlap", "created_at<2026-01-01"],
  ["users search --unverified email_verified_at>2026-01-01", "--unverified beside", "email_verified_at:null"],
  ["sessions search --active revoked_at>2026-01-01", "--active beside", "revoked_at:null"],
  [`sessions search --user ${UUID} user_id:0*`, "beside", "user_id:0*"],
  ["sessions search --ip 203.0.113.0/24 ip_address:198.*", "--ip 203.0.113.0/24 beside", "ip_address:198.*"],
])("svc %s would find more than it reads like, and is refused", async (line, found, either) => {
  const { code, stdout, stderr, requests } = await runCli(line.split(" "), { service: await setup() });
  expect([code, stdout, requests]).toEqual([2, "", []]);
  const [first, hint] = stderr.split("\n");
  expect(first).toContain(found);
  expect(hint).toContain(either);
});

it.each<[line: string, emails: string[]]>([
  ["users search --email ada@acme.test --email grace@navy.test", ["ada@acme.test", "grace@navy.test"]],
  ["users search --since 2026-01-01 --until 2026-02-01", ["ada@acme.test"]],
  ["users search --since 2026-01-01 created_at<2026-02-01", ["ada@acme.test"]],
  ["users search --email-domain acme.test -email:ada*", ["charles@acme.test"]],
  ["users search --email-domain acme.test --name charles", ["charles@acme.test"]],
  ["users search email:ada* email:grace*", ["ada@acme.test", "grace@navy.test"]],
  ["sessions search -revoked_at:null revoked_at>2026-01-01", ["ada@acme.test"]],
])("svc %s reads as it is meant", async (line, emails) => {
  const { code, stdout } = await runCli([...line.split(" "), "--fields", "email"], { service: await setup() });
  expect([code, stdout.trim().split("\n").toSorted()]).toEqual([0, emails]);
});

it("A domain beside a term of addresses deletes nobody through a pipe", async () => {
  const service = await setup();
  const found = await runCli("users search --email-domain acme.test email:charles* --fields id".split(" "), {
    service,
  });
  const { code } = await runCli(["users", "delete", "-", "--yes"], { service, stdin: found.stdout });
  expect([found.code, code]).toEqual([2, 2]);
  expect(await service.client(service.acme).users.list()).toHaveLength(3);
});
