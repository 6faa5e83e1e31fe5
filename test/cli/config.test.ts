// Keys that are sent nowhere else, and every source at once: see transcripts/profiles.txt for the rest.
import { type TargetFlags, choicesOf } from "../../src/cli/choices.ts";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeCurrent, writeProfile, type Profile } from "../../src/cli/credentials/profiles.ts";
import { writeRunning } from "../_server-file.ts";
import { storeKey } from "../../src/cli/credentials/keys.ts";
import { resolveTarget } from "../../src/cli/connection/target.ts";
import { addProfile, contextOf, cwd, home, keyOf, run, useHome } from "../_cli-home.ts";
import { memoryKeyring, type CliOptions } from "../_cli.ts";

useHome();

const A = "https://a.svc.test";

const B = "https://b.svc.test";

/** Sets every value in every source at once. */
async function sayEverywhere(): Promise<{ path: string; flags: TargetFlags; env: Record<string, string> }> {
  for (const name of ["flagged", "named", "current"]) await addProfile(name, A);
  await writeCurrent(contextOf(), "current");
  const { path } = await writeRunning(cwd, {
    pid: process.pid,
    url: "http://localhost:1",
    api_url: "http://api.localhost:1",
    instances: [
      {
        id: "id",
        name: "local",
        subdomain: "local",
        url: "http://local.localhost:1",
        publishable_key: "pk_server",
        secret_key: keyOf("server"),
      },
    ],
  });
  return {
    path,
    flags: { baseUrl: `${A}/flag`, profile: "flagged" },
    env: {
      SVC_BASE_URL: `${A}/env`,
      SVC_API_URL: `${A}/env-api`,
      SVC_PUBLISHABLE_KEY: "pk_env",
      SVC_SECRET_KEY: keyOf("env"),
      SVC_PROFILE: "named",
    },
  };
}

describe("The source of base URL and key", () => {
  // Each row removes the highest source of the row before.
  const NOTHING = { flags: [], env: [], server: true };
  const ADDRESSES = ["baseUrl"];
  const VARIABLES = ["SVC_BASE_URL", "SVC_API_URL", "SVC_PUBLISHABLE_KEY", "SVC_SECRET_KEY"];
  const rows: [what: string, without: typeof NOTHING | object, expected: Record<string, string>][] = [
    [
      "flags, then --profile",
      NOTHING,
      {
        base_url: "--base-url",
        secret_key: "profile flagged (file)",
      },
    ],
    [
      "--profile alone",
      { flags: ADDRESSES },
      {
        base_url: "profile flagged",
        secret_key: "profile flagged (file)",
      },
    ],
    [
      "flags, then variables",
      { flags: ["profile"] },
      {
        base_url: "--base-url",
        secret_key: "SVC_SECRET_KEY",
      },
    ],
    [
      "variables",
      { flags: [...ADDRESSES, "profile"] },
      {
        base_url: "SVC_BASE_URL",
        secret_key: "SVC_SECRET_KEY",
      },
    ],
    ...["SVC_BASE_URL", "SVC_SECRET_KEY"].map((variable): [string, object, Record<string, string>] => [
      `variables, and SVC_PROFILE for ${variable}`,
      { flags: [...ADDRESSES, "profile"], env: [variable] },
      {
        base_url: "SVC_BASE_URL",
        secret_key: "SVC_SECRET_KEY",
        [variable.slice(4).toLowerCase()]: variable === "SVC_SECRET_KEY" ? "profile named (file)" : "profile named",
      },
    ]),
    [
      "SVC_PROFILE alone",
      { flags: [...ADDRESSES, "profile"], env: VARIABLES },
      {
        base_url: "profile named",
        secret_key: "profile named (file)",
      },
    ],
    [
      "the local server",
      { flags: [...ADDRESSES, "profile"], env: [...VARIABLES, "SVC_PROFILE"] },
      Object.fromEntries(
        ["base_url", "api_url", "publishable_key", "secret_key"].map((name) => [name, "the local server"]),
      ),
    ],
    [
      "the current profile",
      { flags: [...ADDRESSES, "profile"], env: [...VARIABLES, "SVC_PROFILE"], server: false },
      {
        base_url: "profile current",
        secret_key: "profile current (file)",
      },
    ],
  ];

  it.each(rows)("is %s", async (_, without, expected) => {
    const { flags, env, server } = { ...NOTHING, ...without } as { flags: string[]; env: string[]; server: boolean };
    const said = await sayEverywhere();
    const less = (all: object, names: string[]): Record<string, string> =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name))) as Record<string, string>;
    if (!server) await rm(said.path);
    const context = contextOf({ env: less(said.env, env) });
    const target = await resolveTarget({ ...context, choices: choicesOf(context, less(said.flags, flags)) });
    const sources = Object.entries(target).flatMap(([name, value]) =>
      name in expected ? [[name, (value as { source: string }).source]] : [],
    );
    expect(Object.fromEntries(sources)).toEqual(expected);
  });

  it("is shown by whoami without a key, with exit code 4", async () => {
    const { code, stdout } = await run(["whoami"], { env: { SVC_BASE_URL: A } });
    expect([code, stdout.split("\n")]).toEqual([
      4,
      [
        "profile\t(none)",
        `base_url\t${A}  (SVC_BASE_URL)`,
        "api_url\t(none)",
        "publishable_key\t(none)",
        "control_url\t(none)",
        "secret_key\t(none)",
        "instance\t(svc doctor asks for it)",
        "",
      ],
    ]);
  });
});

describe("A key stored for one origin", () => {
  it.each<[what: string, argv: string[], env: Record<string, string>]>([
    ["a flag, beside --profile", ["--profile", "acme", "--base-url", B], {}],
    ["a flag, beside SVC_PROFILE", ["--base-url", B], { SVC_PROFILE: "acme" }],
    ["a flag", ["--base-url", B], {}],
    ["a variable, beside SVC_PROFILE", [], { SVC_PROFILE: "acme", SVC_BASE_URL: B }],
    ["a variable", [], { SVC_BASE_URL: B }],
    ["another port", ["--profile", "acme", "--base-url", `${A}:444`], {}],
    ["plain http", ["--profile", "acme", "--base-url", A.replace("https", "http")], {}],
    ["a prefixed host name", ["--profile", "acme", "--base-url", "https://a.svc.test@b.svc.test"], {}],
    ["a host name with a suffix", ["--profile", "acme", "--base-url", `${A}.evil.test`], {}],
  ])("is not sent elsewhere by %s", async (_, argv, env) => {
    await addProfile("acme", A);
    await writeCurrent(contextOf(), "acme");
    for (const command of [["users", "list"], ["api", "GET", "/api/v1/users"], ["doctor"]]) {
      const { requests, stdout, stderr } = await run([...command, ...argv], { env });
      expect(JSON.stringify(requests)).not.toContain(keyOf("acme"));
      expect(stdout + stderr).not.toContain(keyOf("acme"));
    }
  });

  it("is not read from the keyring for a profile that was changed to another address", async () => {
    const keyring = memoryKeyring();
    const secret_key = await storeKey(contextOf({ keyring }), "acme", A, keyOf("acme"), false);
    await writeProfile(contextOf(), "acme", { base_url: B, secret_key: { ...secret_key, origin: B } });
    const asked = run(["users", "list", "--profile", "acme"], { keyring });
    expect(await asked).toMatchObject({ code: 4, requests: [] });
  });

  it("in a file is not sent to an address that was changed in the file", async () => {
    await addProfile("acme", A);
    const path = join(home, ".config/svc/profiles/acme.json");
    const profile = JSON.parse(await readFile(path, "utf8")) as Profile;
    await writeProfile(contextOf(), "acme", { ...profile, base_url: B });
    expect(await run(["users", "list", "--profile", "acme"])).toMatchObject({ code: 2, requests: [] });
  });

  it("is not sent along with a redirect", async () => {
    await addProfile("acme", A);
    const fetch: CliOptions["fetch"] = async () =>
      new Response(null, { status: 302, headers: { location: B } }) as unknown as Awaited<
        ReturnType<NonNullable<CliOptions["fetch"]>>
      >;
    for (const command of [
      ["users", "list"],
      ["api", "GET", "/api/v1/users"],
    ]) {
      const { requests } = await run([...command, "--profile", "acme"], { fetch });
      expect(requests.map(({ url, redirect }) => [new URL(url).origin, redirect])).toEqual([[A, "manual"]]);
    }
  });
});
