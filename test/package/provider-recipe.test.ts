import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer, ServeOptions } from "../../src/server/index.ts";
import type { User } from "../../src/wire/resources.ts";
import { ROOT } from "../_paths.ts";
import { createDatabase } from "../postgres/_postgres.ts";
import { requestOn } from "../_answers.ts";
import { APP, decodePart } from "../_setup.ts";

/** The two files of the recipe in CONTRIBUTING.md. */
const FILES = {
  "src/server/providers/gitlab.ts": `
import * as z from "zod/mini";
import { optionalText, uid, type ProviderDefinition } from "./provider.ts";

const User = z.object({ id: uid, username: optionalText, name: optionalText, email: z.string(), avatar_url: optionalText });

export const gitlab: ProviderDefinition<"user"> = {
  name: "gitlab",
  scopes: ["read_user"],
  pkce: true,
  clientAuthentication: "body",
  loginHint: "login_hint",
  verifiesEmail: true,
  endpoints: {
    authorize: "https://gitlab.com/oauth/authorize",
    token: "https://gitlab.com/oauth/token",
    user: "https://gitlab.com/api/v4/user",
  },
  async fetchProfile(get) {
    const { id, ...user } = await get("user", User);
    return { ...user, uid: id, email_verified: true };
  },
};
`,
  "src/server/simulator/gitlab.ts": `
import * as z from "zod/mini";
import { notFound, reply, type SimulatedProvider } from "./provider.ts";

interface GitlabAccount {
  readonly id: number;
  readonly username: string;
}

export const simulatedGitlab: SimulatedProvider<GitlabAccount> = {
  mark: '<circle cx="12" cy="12" r="9" fill="#fc6d26"/>',
  endpoints: { authorize: "/authorize", token: "/token", user: "/api/v4/user" },
  accountSchema: ({ text }) => z.strictObject({ id: z.int().check(z.positive()), username: text }),
  accountFor: ({ number, login }) => ({ id: number, username: login }),

  shown: ({ username }, { name }) => ({ name: name ?? username, detail: username }),
  refusal: (query) => (query.has("code_challenge") ? undefined : "a code_challenge is required"),
  wrongToken: () => reply(401, { error: "invalid_token" }),
  wrongClient: () => reply(401, { error: "invalid_client" }),
  wrongCode: () => reply(401, { error: "invalid_grant" }),
  granted: ({ access_token }) => reply(200, { access_token, token_type: "Bearer", expires_in: 7200 }),
  resource(path, { account, persona: { name, email, avatar_url } }) {
    return path === "/api/v4/user" ? reply(200, { ...account, name, email, avatar_url }) : notFound();
  },
};
`,
};

/** The three lines; the imports of the two files come with them. */
const LINES: [file: string, before: string, after: string, imported?: string][] = [
  ["src/wire/providers.ts", 'twitter: "Twitter" }', 'twitter: "Twitter", gitlab: "GitLab" }'],
  [
    "src/server/providers/index.ts",
    "google, github, twitter }",
    "google, github, twitter, gitlab }",
    'import { gitlab } from "./gitlab.ts";\n',
  ],
  [
    "src/server/simulator/providers.ts",
    "  twitter: simulatedTwitter,\n",
    "  twitter: simulatedTwitter,\n  gitlab: simulatedGitlab,\n",
    'import { simulatedGitlab } from "./gitlab.ts";\n',
  ],
];

const SEED = {
  instances: [
    {
      name: "Acme",
      subdomain: "acme",
      default_provider: "gitlab",
      users: [
        {
          email: "known@acme.test",
          name: "Known",
          identities: [{ provider: "gitlab", uid: "8", email_verified: true }],
        },
      ],
    },
  ],
  personas: [
    { id: "lin", name: "Lin", email: "lin@acme.test", gitlab: { id: 7, username: "lin" } },
    { id: "known", name: "Known", email: "known@acme.test", gitlab: { id: 8, username: "known" } },
  ],
};

let copy: string;
let serve: (options: ServeOptions) => Promise<RunningServer>;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "svc-recipe-"));
  for (const name of ["src", "test", "fixtures", "package.json", "tsconfig.json"])
    await cp(join(ROOT, name), join(copy, name), { recursive: true });
  for (const name of ["node_modules", "examples"]) await symlink(join(ROOT, name), join(copy, name));
  for (const [file, text] of Object.entries(FILES)) await writeFile(join(copy, file), text);
  for (const [file, before, after, imported = ""] of LINES) {
    const text = await readFile(join(copy, file), "utf8");
    expect(text.split(before)).toHaveLength(2);
    await writeFile(join(copy, file), imported + text.replace(before, after));
  }
  await writeFile(join(copy, "seed.json"), JSON.stringify(SEED));
  await mkdir(join(copy, "dist"));
  await build({
    entryPoints: [join(copy, "src/server/index.ts")],
    outfile: join(copy, "dist/server.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
  });
  ({ serve } = (await import(pathToFileURL(join(copy, "dist/server.js")).href)) as { serve: typeof serve });
}, 120_000);
afterAll(() => rm(copy, { recursive: true, force: true }));

/** Follows a sign-in and returns the token's claims. */
async function signIn(server: RunningServer, parameters: Record<string, string>): Promise<Record<string, unknown>> {
  let location = `${server.url}/sign-in?${new URLSearchParams({ redirect_uri: APP, ...parameters }).toString()}`;
  while (!location.startsWith(APP)) {
    const response = await fetch(location, { redirect: "manual" });
    // At the picker: type in an address.
    location =
      response.headers.get("location") ??
      `${requestOn(await response.text(), location).href}&email=${parameters["typed"] ?? ""}`;
  }
  const token = new URL(location).searchParams.get("token");
  if (token === null) throw new Error(location);
  const verified = await ask(server, "/api/v1/tokens/verify", { method: "POST", body: JSON.stringify({ token }) });
  expect(verified).toMatchObject({ resource: "token", data: { valid: true, provider: "gitlab" } });
  return decodePart(token, 1);
}

async function ask({ url, instances }: RunningServer, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { "x-service-secret-key": instances[0]!.secret_key, "content-type": "application/json" };
  return (await fetch(url + path, { ...init, headers })).json();
}

describe("A provider added with two files and three lines", () => {
  it("satisfies the compiler, except that the tests need its row", async () => {
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const compiled = promisify(execFile)(tsc, ["-p", join(copy, "tsconfig.json"), "--pretty", "false"], { cwd: copy });
    const { stdout } = await compiled.catch((error: { stdout: string }) => error);
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^test\/providers\/_real\.ts\(\d+,\d+\): error TS2741: Property 'gitlab' is missing/),
    ]);
  }, 300_000);

  it.each<[name: string, location: () => string | Promise<string>]>([
    ["memory", () => "memory"],
    ["a db.json", () => join(copy, "data/db.json")],
    ["PostgreSQL", () => createDatabase()],
  ])(
    "signs users in with a store of the kind %s",
    async (_, location) => {
      const store = await location();
      let server = await serve({ port: 0, store, seed: join(copy, "seed.json") });
      try {
        expect(server.providers).toMatchObject({ gitlab: "simulated" });
        const lin = await signIn(server, { login_hint: "lin" });
        expect(lin).toMatchObject({ email: "lin@acme.test", name: "Lin", provider: "gitlab" });
        expect(await signIn(server, { login_hint: "known" })).toMatchObject({ email: "known@acme.test" });
        const typed = await signIn(server, { typed: "new@acme.test" });
        expect(typed).toMatchObject({ email: "new@acme.test", provider: "gitlab" });
        if (store !== "memory") {
          await server.close();
          server = await serve({ port: 0, store });
          expect((await signIn(server, { login_hint: "lin" }))["sub"]).toBe(lin["sub"]);
          expect((await signIn(server, { typed: "new@acme.test" }))["sub"]).toBe(typed["sub"]);
        }
        const users = await ask(server, "/api/v1/users");
        expect((users as User[]).map(({ data }) => data.providers)).toEqual([["gitlab"], ["gitlab"], ["gitlab"]]);
        expect(await ask(server, "/api/v1/sessions/search?query=provider:gitlab")).toHaveLength(3);
      } finally {
        await server.close();
      }
    },
    120_000,
  );

  it("checks its accounts in a seed", async () => {
    const [lin] = SEED.personas;
    const seed = { ...SEED, personas: [{ ...lin, gitlab: { id: "7" } }] };
    await writeFile(join(copy, "bad.json"), JSON.stringify(seed));
    await expect(serve({ port: 0, store: "memory", seed: join(copy, "bad.json") })).rejects.toThrow(
      /personas\[0\]\.gitlab\.id: .*\n.*personas\[0\]\.gitlab\.username: is missing/,
    );
  });
});

describe("The names of the providers", () => {
  it("appear in the server and the client only in their own files and the three lines", async () => {
    const src = join(ROOT, "src");
    const files = (await readdir(src, { recursive: true })).filter((file) =>
      /^(server|wire|client)\/.*\.ts$/.test(file),
    );
    const named: string[] = [];
    for (const file of files.toSorted())
      // `github.dev` is a host of previews.
      if (/\b(google|github(?!\.dev)|twitter)\b/.test(await readFile(join(src, file), "utf8"))) named.push(file);
    const own = /^server\/(providers|simulator)\/(google|github|twitter)\.ts$/;
    expect(named.filter((file) => !own.test(file))).toEqual([
      "server/providers/index.ts",
      "server/simulator/providers.ts",
      "wire/providers.ts",
    ]);
  });
});
