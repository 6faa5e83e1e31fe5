import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { curlCommand } from "../../src/wire/text/shell.ts";
import { startServer, type ControlledServer } from "../_control.ts";

interface Operation {
  readonly "x-codeSamples": readonly { lang: string; source: string }[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** What a reader sets before a command is run. */
async function variablesOf(server: ControlledServer): Promise<Record<string, string>> {
  const { control, control_key = "", instances } = server;
  const [{ secret_key, publishable_key }] = instances as [(typeof instances)[0]];
  const { body: signIn } = await control("POST /sign-ins", { provider: "github" });
  const [users, sessions, requests, scenario, job, link] = await Promise.all([
    control("GET /users"),
    control("GET /sessions"),
    control("GET /requests"),
    control("POST /scenarios", {}),
    control("POST /seed", { generate: { users: 1 } }),
    control("POST /dashboard-links", {}),
    control("PUT /instances/acme/connections/google", { client_id: "x", client_secret: "y" }),
  ]);
  return {
    PATH: process.env["PATH"] ?? "",
    SVC_SECRET_KEY: secret_key,
    SVC_PUBLISHABLE_KEY: publishable_key,
    SVC_CONTROL_KEY: control_key,
    USER_ID: users.body[0].id,
    SESSION_ID: sessions.body[0].data.session_id,
    FLOW_ID: signIn.flow_id,
    REQUEST_ID: requests.body[0].id,
    SCENARIO_ID: scenario.body.id,
    JOB_ID: job.body.id,
    TOKEN: signIn.token,
    CODE: /#code=(.+)$/.exec(link.body.url)![1]!,
    STATE: "unknown",
    NONCE: "n".repeat(22),
    CLIENT_ID: "123.apps.googleusercontent.com",
    CLIENT_SECRET: "it's $HOME & more",
  };
}

/** Runs commands in a shell, one after the other. @returns the statuses that the server answered with */
async function statusesOf(commands: readonly string[], env: Record<string, string>): Promise<number[]> {
  const flags = "--silent --max-time 2 --output /dev/null --write-out '%{http_code}\\n'";
  const script = commands.map((command) => command.replace(/^curl /, `curl ${flags} `)).join("\n");
  const { stdout } = await promisify(execFile)("sh", ["-c", `${script}\ntrue`], { env });
  return stdout.trimEnd().split("\n").map(Number);
}

it("Each curl line of the reference runs as it is, in a shell, with a good answer", async () => {
  const server = await startServer();
  const { paths } = (await (await fetch(`${server.url}/__svc/openapi.json`)).json()) as { paths: Paths };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { "x-codeSamples": samples }]) => ({
      route: `${method} ${path}`,
      command: samples.find(({ lang }) => lang === "Shell")!.source,
    })),
  );
  // What deletes comes last, each on its own records.
  const isLast = ({ route }: { route: string }): boolean => /^delete|v1\/reset/.test(route);
  const last = all.filter(isLast).toSorted((a) => (a.route.endsWith("/instances/{id}") ? 1 : -1));
  const groups = [all.filter((each) => !isLast(each)), ...last.map((each) => [each])];
  const faults: string[] = [];
  for (const group of groups) {
    const commands = group.map(({ command }) => command);
    const statuses = await statusesOf(commands, await variablesOf(server));
    group.forEach(({ route, command }, i) => {
      const status = statuses[i] ?? 0;
      // The callback's state is not one of a sign-in.
      const isGood = route.endsWith("/callback") ? status === 400 : status >= 200 && status < 400;
      if (!isGood) faults.push(`${route}: ${status}: ${command}`);
    });
    await server.control("POST /snapshots", { name: "before-import" });
  }
  expect(all.length).toBeGreaterThan(70);
  expect(faults).toEqual([]);
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
