import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  defineSeed,
  openMaintenance,
  serve,
  type RunningServer,
  type SeedInput,
  type ServeOptions,
} from "../../src/server/index.ts";
import { startServer } from "../_control.ts";
import { temporaryDirectory } from "../_files.ts";
import { seedFile } from "../_seed-file.ts";
import { SEED } from "../_setup.ts";
import { PROVIDERS, PROVIDERS_WITHOUT_EMAIL } from "../../src/wire/providers.ts";

function place(): { store: string; seed: string } {
  return { store: join(temporaryDirectory(), "db.json"), seed: seedFile() };
}

/** Starts a server and stops it again. */
async function run(options: ServeOptions): Promise<{ server: RunningServer; warnings: string[] }> {
  const warnings: string[] = [];
  const server = await serve({ port: 0, warn: (message) => warnings.push(message), ...options });
  await server.close();
  return { server, warnings };
}

it("A server restarted with the seed that filled its store continues", async () => {
  const files = place();
  const first = await run(files);
  const again = await run(files);
  expect(again.server.instances).toEqual(
    first.server.instances.map((instance) => ({ ...instance, url: expect.any(String) })),
  );
  expect(again.warnings).toEqual([]);
});

it("A changed seed is reported at the start with what differs and the way to apply it", async () => {
  const files = place();
  await run(files);
  const changed = structuredClone(SEED) as { instances: object[]; personas: object[] };
  Object.assign(changed.instances[0]!, { name: "Another", redirect_uris: ["https://app.example/callback"] });
  changed.instances.push({ name: "New", subdomain: "new" });
  Object.assign(changed.personas[0]!, { email: "other@acme.test" });
  await writeFile(files.seed, JSON.stringify(changed));
  const { server, warnings } = await run(files);
  expect(server.instances[0]!.name).toBe("Acme");
  expect(warnings).toEqual([
    expect.stringMatching(
      /^The seed is not applied, as .*db\.json is not empty\. acme has another name, redirect_uris; new is not in the store; the persona ada is different\. .* svc dev instances update .*PATCH .*--reset/,
    ),
  ]);
  const reset = await run({ ...files, reset: true });
  expect(reset.server.instances[0]!.name).toBe("Another");
  expect((await run(files)).warnings).toEqual([]);
});

it("A seed of which only users have changed is reported too", async () => {
  const files = place();
  await run(files);
  await writeFile(files.seed, JSON.stringify(SEED, null, 2));
  expect((await run(files)).warnings).toEqual([expect.stringContaining("users are not compared")]);
});

it("A restored backup starts with the seed that once filled it, and nothing offers to delete its records", async () => {
  const files = place();
  const beyond = { ...files, publicUrl: "https://auth.example.test", providers: "simulated" } as const;
  await run(files);
  const restored = join(temporaryDirectory(), "db.json");
  const copied = await (await openMaintenance(() => undefined)).copy(files.store, restored);
  expect(copied.isEqual).toBe(true);
  const { server, warnings } = await run({ ...beyond, store: restored });
  expect(server.instances.map(({ secret_key }) => secret_key)).toContain(SEED.instances[0]!.secret_key);
  expect(warnings.filter((message) => message.startsWith("The seed"))).toEqual([]);
  // One whose key differs is named, and the key is not.
  const rotated = structuredClone(SEED);
  rotated.instances[0]!.secret_key = "sk_another_0123456789abcdefghijklmnopqrstuv";
  await writeFile(files.seed, JSON.stringify(rotated));
  const [message] = (await run({ ...beyond, store: restored })).warnings.filter((text) => text.startsWith("The seed"));
  expect(message).toContain("acme has another secret_key.");
  expect(message).not.toMatch(/sk_|--reset/);
  // Even a seed that is not valid does not keep the records from being served.
  await writeFile(files.seed, "{");
  expect((await run({ ...beyond, store: restored })).warnings.join()).toMatch(/is not JSON/);
});

it("The identities of a seed are verified unless they say otherwise, or their provider has no addresses", async () => {
  const identities = [
    ...PROVIDERS.map((provider) => ({ provider, uid: "1" })),
    ...[true, false].map((email_verified) => ({ provider: "google", uid: String(email_verified), email_verified })),
  ];
  const users = [{ email: "ada@acme.test", name: "Ada", identities }];
  const { control } = await startServer({ seed: { instances: [{ name: "Acme", subdomain: "acme", users }] } as never });
  const [{ id }] = (await control("GET /users")).body;
  const { body } = await control(`GET /users/${id}`);
  const verified = (body.data.identities as { provider: string; uid: string; email_verified: boolean }[]).map(
    ({ provider, uid, email_verified }) => [provider, uid, email_verified],
  );
  expect(verified.toSorted()).toEqual(
    [
      ...PROVIDERS.map((provider) => [provider, "1", !PROVIDERS_WITHOUT_EMAIL.includes(provider)]),
      ["google", "true", true],
      ["google", "false", false],
    ].toSorted(),
  );
});

it("--reset keeps the keys and ids that the seed leaves open", async () => {
  const { store } = place();
  const seed = { instances: [{ name: "Acme", subdomain: "acme" }] };
  const { server: before } = await run({ store, seed });
  const { server: after } = await run({
    store,
    seed: { instances: [...seed.instances, { name: "New", subdomain: "new" }] },
    reset: true,
  });
  const { created_at: _, url: __, ...kept } = before.instances[0]!;
  expect(after.instances[0]).toMatchObject(kept);
  // Unless the seed gives them to another.
  const stolen = { instances: [...seed.instances, { name: "New", subdomain: "new", secret_key: kept.secret_key }] };
  const { server: last } = await run({ store, seed: stolen, reset: true });
  expect(last.instances[1]!.secret_key).toBe(kept.secret_key);
  expect(last.instances[0]!.secret_key).not.toBe(kept.secret_key);
});

it("serve() accepts a seed as an object and validates it like a file", async () => {
  const seed = defineSeed({
    instances: [{ name: "Acme", subdomain: "acme", users: [{ email: "ada@acme.test", name: "Ada" }] }],
  });
  const { server } = await run({ store: "memory", seed });
  expect(server.instances.map(({ name }) => name)).toEqual(["Acme"]);
  const faulty = { instances: [{ name: "Acme", subdomain: "No Such Name" }] };
  await expect(run({ store: "memory", seed: faulty })).rejects.toThrow(
    /^The seed can't be used.*\n.*instances\[0\]\.subdomain/,
  );
});

it("A seed's faults of form and its duplicates are reported together", async () => {
  const faulty = {
    instances: [
      {
        name: 7,
        subdomain: "acme",
        redirect_uris: ["nowhere", 5],
        connections: { google: { client_id: "id", client_secret: "secret", endpoints: { tokn: "https://a.test/" } } },
        users: [
          { email: "ada@acme.test", name: "Ada", identities: [{ provider: "google", uid: "1" }, null] },
          { email: "ADA@acme.test", identities: [{ provider: "google", uid: "1" }] },
          null,
        ],
      },
      { name: "Acme", subdomain: "acme" },
      { name: "The API", subdomain: "api" },
    ],
    personas: [{ id: "ada", email: "no address", name: "Ada" }, { id: "ada" }],
  } as unknown as SeedInput;
  const error = await run({ store: "memory", seed: faulty }).catch((reason: Error) => reason);
  const faults = (error as Error).message.split("\n").slice(1);
  expect(faults.map((line) => line.trim().replace(/:.*/s, "")).toSorted()).toEqual([
    "instances[0].connections.google.endpoints.tokn",
    "instances[0].name",
    "instances[0].redirect_uris[0]",
    "instances[0].redirect_uris[1]",
    "instances[0].users[0].identities[1]",
    "instances[0].users[1].email",
    "instances[0].users[1].identities[0].uid",
    "instances[0].users[2]",
    "instances[1].subdomain",
    "instances[2].subdomain",
    "personas[0].email",
    "personas[1].email",
    "personas[1].id",
    "personas[1].name",
  ]);
});

it("serve() rejects an unknown option by name", async () => {
  const options = { prot: 7820, store: "memory" } as ServeOptions;
  await expect(serve(options)).rejects.toThrow(/^Unknown option of serve: prot\. Did you mean port\?$/);
});

it.each([
  [{ port: "7820" }, "port: must be a number"],
  [{ port: 70_000 }, "port: must be 65535 or less"],
  [{ host: "" }, "host: must not be empty"],
  [{ seed: 1 }, "seed: must be a path or a seed"],
  [{ publicUrl: "auth.example.com" }, "publicUrl: must be an address such as https://example.com/"],
  [{ providers: "fake" }, "providers: must be one of auto, real, simulated"],
  [{ warn: "stderr" }, "warn: must be a function"],
  [{ clients: [{ provider: "google" }] }, "clients[0].client_id: is missing"],
])("serve(%j) names the option that can't be used", async (options, fault) => {
  const error = await serve({ store: "memory", ...options } as ServeOptions).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ name: "ServeError" });
  expect((error as Error).message.split("\n").slice(0, 2)).toEqual([
    "The options of serve can't be used:",
    `  ${fault}`,
  ]);
});
