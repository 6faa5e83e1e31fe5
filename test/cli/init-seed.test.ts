// Below the faces: what a seed means is read as a server does.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serveOptions } from "../../src/cli/commands/serve/options.ts";
import { createControlClient } from "../../src/control-client/index.ts";
import { serve } from "../../src/server/index.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { createContext, runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
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

it.each(["com.example.app:/callback", "http://127.0.0.1:3000/callback", "*"])(
  "svc init takes the redirect URI %s, as a seed does",
  async (uri) => {
    const cwd = temporaryDirectory();
    const { code, stderr } = await runCli(["init", "--redirect-uri", uri], { cwd });
    expect(code).toBe(0);
    // The line that it ends with is one that svc serve obeys.
    const [, line, seedFile] = /^Start the server with: (svc serve(?: --seed (\S+))?)$/m.exec(stderr)!;
    const options = await serveOptions(createContext({ cwd }), seedFile === undefined ? {} : { seed: seedFile });
    expect([line, options.seed]).toEqual([expect.any(String), join(cwd, "seed.json")]);
    const seed = await readFile(join(cwd, "seed.json"), "utf8");
    expect(parseSeed(seed, "seed.json", START).instances).toMatchObject([{ redirect_uris: [uri] }]);
  },
);
