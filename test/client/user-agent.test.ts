import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createClient, type Fetch } from "../../src/client/index.ts";
import { VERSION } from "../../src/wire/version.ts";
import { answering } from "../_answering.ts";
import { runCli } from "../_cli.ts";
import { clientWith, KEY, startServer } from "../_client.ts";

it("The version in the sources is the package's", async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  expect((JSON.parse(text) as { version: string }).version).toBe(VERSION);
});

it("The client sends its name and version as User-Agent, or the name in its options", async () => {
  const { origin, seen } = await startServer((_, response) => void response.end("[]"));
  const options = { secretKey: KEY, publishableKey: "pk_acme_0123", baseUrl: origin };
  for (const userAgent of [undefined, "billing/1.2 (eu)"]) {
    const client = createClient({ ...options, userAgent });
    await client.users.list();
    await client.discovery().catch(() => undefined);
    await client.instances.resolve().catch(() => undefined);
    await client.close();
  }
  const own = `svc-identity/${VERSION} (client)`;
  const named = "billing/1.2 (eu)";
  expect(seen.map(({ headers }) => headers["user-agent"])).toEqual([own, own, own, named, named, named]);
});

it("The client leaves the User-Agent of a custom fetch alone, unless it is in the options", async () => {
  const sent: (string | undefined)[] = [];
  const fetch: Fetch = (url, init) => {
    sent.push(init.headers?.["user-agent"]);
    return answering(200, "[]")(url, init);
  };
  await clientWith(fetch).users.list();
  await clientWith(fetch, { userAgent: "billing/1.2" }).users.list();
  expect(sent).toEqual([undefined, "billing/1.2"]);
});

it.each(["", " ", "a ", "a\r\nx: y", "é"])("The client refuses %j as its User-Agent", (userAgent) => {
  expect(() => createClient({ userAgent })).toThrow("userAgent must be printable ASCII, such as billing/1.2");
});

it("The command line sends its name and version as User-Agent", async () => {
  const env = { SVC_SECRET_KEY: KEY, SVC_BASE_URL: "https://acme.svc.test" };
  const { requests } = await runCli(["users", "list"], { env, fetch: answering(200, "[]") });
  expect(requests.map(({ headers }) => headers?.["user-agent"])).toEqual([`svc-identity/${VERSION} (cli)`]);
});
