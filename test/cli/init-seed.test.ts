import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createControlClient } from "../../src/control-client/index.ts";
import { serve } from "../../src/server/index.ts";
import { PROVIDERS } from "../../src/wire/names.ts";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";

it("The seed that svc init writes has one person who can sign in with every provider", async () => {
  const cwd = temporaryDirectory();
  expect(await runCli(["init", "--yes", "--name", "Acme"], { cwd })).toMatchObject({ code: 0 });
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
