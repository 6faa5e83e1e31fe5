// Below the faces: the dashboard's and the command's text without a browser for each row.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { asCurl } from "../../src/dashboard/views/copy-as.ts";
import type { AnswerOf } from "../../src/wire/control/types.ts";
import { curlCommand } from "../../src/text/shell.ts";
import { startServer, type ControlledServer } from "../_control.ts";
import { needs } from "../_machine.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** The status that a server answers a copied command with, in a shell. */
async function statusOf(command: string, env: Record<string, string>): Promise<number> {
  const asked = command.replace(/^curl /, "curl --silent --output /dev/null --write-out '%{http_code}' ");
  const { stdout } = await promisify(execFile)("sh", ["-c", asked], { env });
  return Number(stdout);
}

async function logged(server: ControlledServer): Promise<AnswerOf<"GET /requests">> {
  return (await server.control("GET /requests")).body as AnswerOf<"GET /requests">;
}

it("Each copied line runs as it is, in a shell, and is answered as the request was", needs("curl"), async () => {
  const server = await startServer();
  const { url, control, control_key = "", instances } = server;
  const [{ secret_key, publishable_key }] = instances as [(typeof instances)[0]];
  const { body: signIn } = await control("POST /sign-ins", { provider: "github", as: "ada" });
  const keyed = { "x-service-secret-key": secret_key };
  const sent: [path: string, init?: RequestInit][] = [
    ["/"],
    ["/nowhere/[x]/{y}"],
    ["/.well-known/openid-configuration"],
    ["/api/v1/users", { headers: keyed }],
    ["/api/v1/users/search?query=name:%22it's%20%24HOME%22%20email:*@acme.test", { headers: keyed }],
    [`/api/v1/users/${signIn.flow_id}`, { headers: keyed }],
    [
      `/api/v1/instances/search?query=publishable_key:${publishable_key}`,
      { headers: { "x-service-publishable-key": publishable_key } },
    ],
    [
      "/api/v1/tokens/verify",
      { method: "POST", headers: { ...keyed, ...JSON_TYPE }, body: JSON.stringify({ token: signIn.token }) },
    ],
    ["/oauth/authorize?provider=google&redirect_uri=http://localhost:3000/callback?next=$(id)", { redirect: "manual" }],
    ["/sign-in?redirect_uri=javascript:alert(1)", { redirect: "manual" }],
    ["/oauth/google/callback?state=abc&code=def"],
  ];
  for (const [path, init] of sent) await (await fetch(url + path, init)).text();
  await control("POST /clock/advance", { by: "5m" });
  await control("PATCH /instances/acme", {
    name: 'Acme\'s `best` $HOME "app"',
  });
  await control("POST /scenarios", { match: { provider: "google" }, outcome: "access_denied", times: 2 });

  const entries = (await logged(server)).filter(({ data }) => !data.path.endsWith("/requests"));
  expect(entries.length).toBe(sent.length + 4);
  const env = {
    PATH: process.env["PATH"] ?? "",
    SVC_SECRET_KEY: secret_key,
    SVC_PUBLISHABLE_KEY: publishable_key,
    SVC_CONTROL_KEY: control_key,
    TOKEN: signIn.token as string,
    STATE: "abc",
    CODE: "def",
  };
  const faults: string[] = [];
  for (const { data } of entries) {
    const command = asCurl(data, url);
    const status = await statusOf(command, env);
    if (status !== data.status) faults.push(`${status} in place of ${data.status}: ${command}`);
  }
  expect(faults).toEqual([]);
  // The bodies arrived as they were sent.
  expect((await control("GET /instances/acme")).body.data.name).toBe('Acme\'s `best` $HOME "app"');
  expect((await control("GET /scenarios")).body).toHaveLength(2);
});

it("A copied line has no secret, and names the variables that are to be set", async () => {
  const server = await startServer();
  const [{ secret_key }] = server.instances as [(typeof server.instances)[0]];
  const headers = { ...JSON_TYPE, "x-service-secret-key": secret_key };
  const body = JSON.stringify({ token: "eyJhbGciOiJIUzI1NiJ9.secret.part" });
  await fetch(`${server.url}/api/v1/tokens/verify`, { method: "POST", headers, body });
  const secret = { client_id: "our-client", client_secret: "our-client-secret" };
  await server.control("PUT /instances/acme/connections/google", secret);
  await server.control("POST /users", { email: "mary@acme.test", name: "Mary", password_digest: "$2b$10$digest" });
  const entries = await logged(server);
  expect(JSON.stringify(entries)).not.toMatch(/eyJ|our-client-secret|2b\$10|sk_/);
  const [users, connection, verify] = entries.map(({ data }) => data);
  expect(asCurl(verify!, server.url)).toContain(
    `-H "X-Service-Secret-Key: $SVC_SECRET_KEY" -H 'Content-Type: application/json' -d '{"token":"'"$TOKEN"'"}'`,
  );
  expect(asCurl(connection!, server.url)).toContain("$CLIENT_SECRET");
  expect(asCurl(users!, server.url)).toContain("$PASSWORD_DIGEST");
});

it("A body that is long or has unknown fields is kept without what may be secret, or not at all", async () => {
  const server = await startServer();
  const headers = JSON_TYPE;
  const send = (body: unknown): Promise<Response> =>
    fetch(`${server.url}/__svc/v1/dashboard-keys`, { method: "POST", headers, body: JSON.stringify(body) });
  await send({ code: "secret", pin: 1234, nested: { password: ["hunter2"], email: "ada@acme.test" }, on: true });
  await send({ email: "x".repeat(301) });
  await send({ name: Array.from({ length: 200 }, () => "x") });
  await send(Object.fromEntries([["x".repeat(65), 1]]));
  const [name, many, long, first] = (await logged(server)).map(({ data }) => data.body);
  expect([name, many, long]).toEqual([null, null, null]);
  expect(JSON.parse(first!)).toEqual({
    code: "[redacted]",
    pin: "[redacted]",
    nested: { password: ["[redacted]"], email: "ada@acme.test" },
    on: true,
  });
});
it("A shell replaces nothing in a command but the variables that it names", async () => {
  const hostile = "/x?a=$(touch pwned)&b=`id`&c=$SVC_SECRET_KEY&d='\"\\!&e=[1-9]{a,b}";
  const body = `{"note":"it's $SVC_SECRET_KEY \`id\`","token":"[redacted]"}`;
  const command = curlCommand({
    method: "POST",
    url: `http://localhost:1${hostile}`,
    key: "control",
    body,
    variables: /(?<="(token)":")\[redacted\]/g,
  });
  const { stdout } = await promisify(execFile)("sh", ["-c", command.replace(/^curl/, "printf '%s\\n'")], {
    env: { SVC_SECRET_KEY: "sk_secret", SVC_CONTROL_KEY: "ctl_key", TOKEN: "eyJ" },
  });
  expect(stdout.trimEnd().split("\n")).toEqual([
    "--globoff",
    `http://localhost:1${hostile}`,
    "-H",
    "Authorization: Bearer ctl_key",
    "-H",
    "Content-Type: application/json",
    "-d",
    body.replace("[redacted]", "eyJ"),
  ]);
});
