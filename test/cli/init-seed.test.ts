// Below the faces: what a seed means is read as a server does.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serveOptions } from "../../src/cli/commands/serve/options.ts";
import { createControlClient } from "../../src/control-client/index.ts";
import { serve } from "../../src/server/index.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { inProcess } from "../_bin.ts";
import { createContext, runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { serveHere } from "../_serving.ts";
import { START } from "../_setup.ts";

it("The seed that svc init writes has one person who can sign in with every provider", async () => {
  const cwd = temporaryDirectory();
  expect(await runCli(["init", "--name", "Acme"], { cwd })).toMatchObject({ code: 0 });
  const seed = join(cwd, "seed.json");
  expect(JSON.parse(await readFile(seed, "utf8"))).toMatchObject({ personas: [{ id: "ada" }] });
  const server = await serve({ port: 0, store: "memory", seed });
  try {
    const control = createControlClient({ url: server.url, controlKey: server.control_key! });
    const [ada] = await control.request("GET /users");
    for (const provider of PROVIDERS)
      expect(await control.request("POST /sign-ins", { body: { provider, as: "ada" } })).toHaveProperty("token");
    const { data } = await control.request("GET /users/:id", { params: { id: ada!.id } });
    expect(data.providers).toContain(PROVIDERS[0]);
  } finally {
    await server.close();
  }
});

it("An application's own client is written by svc init, served, and printed by svc env with its addresses", async () => {
  const cwd = temporaryDirectory();
  const made = await inProcess(["init", "--name", "Shop", "--client", "google", "github"], { cwd });
  expect(made).toMatchObject({ code: 0 });
  const seed = JSON.parse(await readFile(join(cwd, "seed.json"), "utf8")) as {
    instances: [{ clients: { client_secret: string }[] }];
  };
  const [google, github] = seed.instances[0].clients;
  const { ready } = await serveHere(["--store", "memory"], { cwd });
  const issuer = `${ready.url}/__svc/simulator/google`;
  expect(JSON.parse((await inProcess(["env", "--client", "shop-google", "--json"], { cwd })).stdout)).toEqual({
    GOOGLE_CLIENT_ID: "shop-google",
    GOOGLE_CLIENT_SECRET: google!.client_secret,
    GOOGLE_ISSUER: issuer,
    GOOGLE_AUTHORIZE_URL: `${issuer}/authorize`,
    GOOGLE_TOKEN_URL: `${issuer}/token`,
    GOOGLE_USERINFO_URL: `${issuer}/userinfo`,
  });
  expect((await fetch(`${issuer}/.well-known/openid-configuration`)).status).toBe(200);
  const dotenv = await inProcess(["env", "--client", "shop-github", "--format", "dotenv"], { cwd });
  expect(dotenv.stdout.split("\n")).toEqual([
    "GITHUB_CLIENT_ID='shop-github'",
    `GITHUB_CLIENT_SECRET='${github!.client_secret}'`,
    ...["ISSUER", "AUTHORIZE_URL", "TOKEN_URL", "USER_URL", "EMAILS_URL"].map(
      (name) => expect.stringMatching(`^GITHUB_${name}='${ready.url}/__svc/simulator/github`) as string,
    ),
    "",
  ]);
  const unknown = await inProcess(["env", "--client", "shop-twitter"], { cwd });
  expect([unknown.code, unknown.stderr]).toEqual([
    3,
    expect.stringMatching(/shop has no client "shop-twitter"\.\n.*It has shop-google, shop-github\./),
  ]);
});

it.each([
  ["http://127.0.0.1:5173/cb", "http://127.0.0.1:5173"],
  ["com.example.app:/callback", "http://localhost:3000"],
  ["*", "http://localhost:3000"],
])("svc init takes the redirect URI %s, as a seed does, and its client returns to %s", async (uri, origin) => {
  const cwd = temporaryDirectory();
  const { code, stderr } = await runCli(["init", "--client", "twitter", "--redirect-uri", uri], { cwd });
  expect(code).toBe(0);
  // The line that it ends with is one that svc serve obeys.
  const [, seedFile] = /^Start the server with: svc serve(?: --seed (\S+))?$/m.exec(stderr)!;
  const options = await serveOptions(createContext({ cwd }), seedFile === undefined ? {} : { seed: seedFile });
  expect(options.seed).toBe(join(cwd, "seed.json"));
  const { instances } = parseSeed(await readFile(join(cwd, "seed.json"), "utf8"), "seed.json", START);
  expect(instances).toMatchObject([
    {
      redirect_uris: [uri],
      clients: [
        {
          provider: "twitter",
          client_id: "my-application-twitter",
          client_secret: expect.stringMatching(/^[\w-]{32}$/) as string,
          redirect_uris: [`${origin}/api/auth/callback/twitter`],
        },
      ],
    },
  ]);
});
