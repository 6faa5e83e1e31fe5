import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answerOf, server, signIn, svc, useDevServer } from "../_dev-server.ts";
import { temporaryDirectory } from "../_files.ts";

useDevServer();

interface Row<Data = Record<string, unknown>> {
  readonly id: string;
  readonly data: Data;
}

it("svc dev users creates a user and updates one by e-mail address or id", async () => {
  const made = await answerOf<Row>("dev users create bo@acme.test --name Bo --verified");
  expect(made.data).toMatchObject({ email: "bo@acme.test", name: "Bo", email_verified: true });
  const changed = await answerOf<Row>("dev users update bo@acme.test --email bob@acme.test --no-verified");
  expect(changed).toMatchObject({ id: made.id, data: { email: "bob@acme.test", email_verified: false } });
  expect((await answerOf<Row>(`dev users update ${made.id} --name Bob`)).data["name"]).toBe("Bob");
  const elsewhere = await answerOf<Row>("dev users create eve@globex.test --instance globex");
  expect(elsewhere.data).toMatchObject({ name: "eve", instance: server.instances[1]!.id, email_verified: false });
});

it.each([
  ["dev users create nonsense", 2, "email"],
  ["dev users update stranger@acme.test --name X", 3, "No user has the e-mail address"],
  ["dev users update 024f21ba --name X", 2, "svc users list --output wide"],
  ["dev users update ada@acme.test", 2, "Nothing to change"],
  ["dev sessions revoke svc_session_00000000-0000-0000-0000-000000000000", 3, ""],
  ["dev instances create acme", 8, "acme"],
  ["dev instances update nowhere --name X", 3, "nowhere"],
  ["dev reset --instance nowhere --yes", 2, "nowhere"],
  ["dev keys rotate --instance nowhere --yes", 2, "nowhere"],
  ["dev users create eve@globex.test --instance nowhere", 2, "nowhere"],
  ["dev seed --generate 3 --instance nowhere", 2, "nowhere"],
  ["dev instances delete acme", 2, "--yes"],
  ["dev keys rotate --no-secret-key", 2, "No key to replace"],
  ["dev seed", 2, "Nothing to add"],
  ["dev seed --seed 3 x.json", 2, "--seed is for --generate"],
  ["dev seed --generate many", 2, "not a whole number"],
  ["dev seed missing.json", 2, "cannot be read: no such file or directory (ENOENT)"],
  ["logs --flow nope", 2, '"nope" is not the id of a sign-in'],
])("svc %s exits with %i and prints the reason", async (line, exit, words) => {
  const { code, stdout, stderr } = await svc(line);
  expect([code, stdout]).toEqual([exit, ""]);
  expect(stderr).toContain(words);
});

it("svc dev sessions revokes sessions and reactivates them", async () => {
  await answerOf("dev next github --as ada");
  await signIn("github");
  const url = `${server.url}/__svc/v1/sessions?limit=2`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${server.control_key}` } });
  const ids = ((await response.json()) as Row<{ session_id: string }>[]).map(({ data }) => data.session_id);
  for (const [verb, active] of [["revoke", false] as const, ["restore", true] as const]) {
    const rows = await answerOf<Row[]>(`dev sessions ${verb} ${ids.join(" ")}`);
    expect(rows.map(({ data }) => [data["session_id"], data["active"]])).toEqual(ids.map((id) => [id, active]));
  }
});

it("svc dev instances creates an instance that answers at once, updates it and deletes it", async () => {
  const uri = "http://localhost:3000/callback";
  const made = await answerOf<Row>(`dev instances create umbrella --name Umbrella --redirect-uri ${uri}`);
  expect(made.data).toMatchObject({ subdomain: "umbrella", name: "Umbrella", redirect_uris: [uri], active: true });
  expect(JSON.stringify(made)).not.toContain("sk_");
  const off = await answerOf<Row>("dev instances update umbrella --no-active --default-provider twitter");
  expect(off.data).toMatchObject({ active: false, default_provider: "twitter", redirect_uris: [uri] });
  const entry = "https://*.preview.acme.dev/callback";
  expect(await svc(`dev instances update umbrella --redirect-uri ${entry}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("redirect_uris[0]: a * in the host is for preview instances") as string,
  });
  const previews = await answerOf<Row>(`dev instances update umbrella --preview --redirect-uri ${entry}`);
  expect(previews.data).toMatchObject({ preview: true, redirect_uris: [entry] });
  expect((await svc("dev instances list --output tsv")).stdout).toContain("umbrella\tUmbrella");
  const asked: string[] = [];
  const declined = await svc("dev instances delete umbrella", { tty: true, confirm: (text) => !asked.push(text) });
  expect([declined.code, asked]).toEqual([1, [expect.stringContaining("with all its users and sessions at http")]]);
  expect(await svc("dev instances delete umbrella --yes")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("\nDeleted Umbrella (umbrella") as string,
  });
  expect((await svc("dev instances update umbrella --active")).code).toBe(3);
});

it("svc dev keys rotate masks the secret key except in JSON, and invalidates old tokens", async () => {
  const { stdout: token } = await svc("dev token --user ada");
  const before = server.instances[0]!;
  const masked = await svc("dev keys rotate --publishable-key --yes --instance acme");
  const now = server.instances[0]!;
  expect(now.secret_key).not.toBe(before.secret_key);
  expect(masked.stdout).toContain(now.publishable_key);
  expect(masked.stdout).not.toContain(now.secret_key);
  expect(masked.stderr).toContain(
    "\nTo print the new secret key, in the server's directory: svc env --instance acme\n",
  );
  expect((await svc("dev keys rotate --instance globex --yes")).stderr).toMatch(/: svc env --instance globex\n$/);
  const again = await answerOf<{ secret_key: string }>("dev keys rotate --instance acme --yes");
  expect(again.secret_key).toBe(server.instances[0]!.secret_key);
  const response = await fetch(`${server.url}/api/v1/tokens/verify`, {
    method: "POST",
    headers: { "x-service-secret-key": again.secret_key, "content-type": "application/json" },
    body: JSON.stringify({ token: token.trim() }),
  });
  expect(response.status).toBe(401);
});

it("svc dev keys rotate --keep-old lets tokens of the old secret key verify, until revoke-old", async () => {
  const { stdout: token } = await svc("dev token --user ada@acme.test");
  const status = async (): Promise<number> =>
    (
      await fetch(`${server.url}/api/v1/tokens/verify`, {
        method: "POST",
        headers: { "x-service-secret-key": server.instances[0]!.secret_key, "content-type": "application/json" },
        body: JSON.stringify({ token: token.trim() }),
      })
    ).status;
  const { stderr } = await svc("dev keys rotate --keep-old 1h --yes --instance acme");
  expect(stderr).toMatch(
    /^The old secret key goes on verifying tokens until 20\S+Z\. Give applications the new one now\.$/m,
  );
  expect(await status()).toBe(200);
  expect((await svc("dev keys revoke-old --yes --instance acme")).stderr).toMatch(
    /^Revoke the old secret keys of Acme .*\nRevoked the old secret keys of acme \(http.*\)\.\n$/,
  );
  expect(await status()).toBe(401);
});

it("svc dev seed generates users", async () => {
  const added = await answerOf("dev seed --generate 600 --instance globex --seed 7");
  expect(added).toEqual({ instances: 0, users: 600, identities: 600, sessions: 600, personas: 0 });
});

it("svc dev seed adds a document from a file or stdin, and nothing of an invalid one", async () => {
  const directory = temporaryDirectory();
  const document = (subdomain: string): string => JSON.stringify({ instances: [{ name: subdomain, subdomain }] });
  await writeFile(join(directory, "more.json"), document("initech"));
  const added = await svc("dev seed more.json --json", { cwd: directory });
  expect(JSON.parse(added.stdout)).toMatchObject({ instances: 1, users: 0 });
  expect((await svc("dev seed more.json", { cwd: directory })).code).toBe(8);
  expect((await svc("dev seed -", { stdin: document("hooli") })).code).toBe(0);
  expect(await svc("dev seed -", { stdin: "{" })).toMatchObject({ code: 2 });
  const wrong = await svc("dev seed -", { stdin: '{"instances":[{"name":"X","subdomain":"No Label"}]}' });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("subdomain")]);
});
