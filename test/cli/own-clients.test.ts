// Below the faces: what the seed of svc init means is read as a server does.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { inProcess } from "../_bin.ts";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { serveHere } from "../_serving.ts";
import { START } from "../_setup.ts";

describe("An application's own client", () => {
  it("is written by svc init, served, and printed by svc env with its addresses", async () => {
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
    [[], "http://localhost:3000"],
    [["--redirect-uri", "http://127.0.0.1:5173/cb"], "http://127.0.0.1:5173"],
    [["--redirect-uri", "com.example.app:/callback"], "http://localhost:3000"],
    [["--redirect-uri", "*"], "http://localhost:3000"],
  ])("of svc init with %j has its redirect URI at %s", async (flags, origin) => {
    const cwd = temporaryDirectory();
    expect(await runCli(["init", "--client", "twitter", ...flags], { cwd })).toMatchObject({ code: 0 });
    const { instances } = parseSeed(await readFile(join(cwd, "seed.json"), "utf8"), "seed.json", START);
    expect(instances[0]!.clients).toEqual([
      {
        provider: "twitter",
        client_id: "my-application-twitter",
        client_secret: expect.stringMatching(/^[\w-]{32}$/),
        redirect_uris: [`${origin}/api/auth/callback/twitter`],
      },
    ]);
  });
});
