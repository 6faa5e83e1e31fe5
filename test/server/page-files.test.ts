import { expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/server/index.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { BROWSER } from "../_attacks.ts";
import { APP, setup, type Service } from "../_setup.ts";
import { ask } from "../_sockets.ts";

const IN_A_BROWSER = { headers: { ...BROWSER, accept: "text/html" } };
const KEPT = "public, max-age=31536000, immutable";
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

/** The files that a page loads. */
function filesOf(html: string): string[] {
  const tags = html.matchAll(/<(?:link rel="stylesheet" href|script src)="([^"]*)"/g);
  return [...tags].map(([, path]) => path!);
}

/** A page with its style and every script, after the redirect to it. */
async function pageAt({ fetch }: Service, path: string): Promise<{ html: string; response: Response }> {
  let response = await fetch(path, IN_A_BROWSER);
  const location = response.headers.get("location");
  if (location !== null) response = await fetch(location, IN_A_BROWSER);
  return { html: await response.text(), response };
}

const pickerOf = (provider: string): string => `/oauth/authorize?provider=${provider}&redirect_uri=${APP}`;

it("Styles and marks of the pages name only custom properties that there are", async () => {
  const service = await setup();
  const pickers = await Promise.all(PROVIDERS.map(async (name) => (await pageAt(service, pickerOf(name))).html));
  const style = await (await service.fetch(filesOf(pickers[0]!)[0]!)).text();
  const named = [style, ...pickers].flatMap((text) => [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!));
  expect(new Set(named).size).toBeGreaterThan(5);
  expect(named.filter((name) => !style.includes(`${name}:`))).toEqual([]);
});

it("Every page loads its styles and scripts as files, and has none inline", async () => {
  const service = await setup({ control: true });
  const pages: [path: string, scripts: string[]][] = [
    ["/", []],
    ["/nowhere", []],
    ["/__svc/signed-in", []],
    ["/__svc/signed-in?error=access_denied", ["signed-in"]],
    [pickerOf("google"), ["picker"]],
  ];
  for (const [path, scripts] of pages) {
    const { html, response } = await pageAt(service, path);
    expect(filesOf(html), path).toEqual(
      ["style.HASH.css", ...scripts.map((name) => `${name}.HASH.js`)].map(
        (name) => expect.stringMatching(`^/__svc/pages/${name.replace("HASH", "[0-9a-f]{16}")}$`) as string,
      ),
    );
    expect(html, path).not.toMatch(/<style|<script>|\s(?:style|on\w+)="/);
    expect(response.headers.get("content-security-policy"), path).toBe(POLICY);
  }
});

it("T37: The dashboard's policy allows no script or style in the page either, and frames of no site", async () => {
  const { fetch } = await setup({ control: true });
  const response = await fetch("/__svc/", IN_A_BROWSER);
  const policy = response.headers.get("content-security-policy")!.split("; ");
  expect(policy.toSorted()).toEqual([...POLICY.split("; "), "connect-src 'self'", "form-action 'none'"].toSorted());
  expect(await response.text()).not.toMatch(/<style|<script>|\s(?:style|on\w+)="/);
});

it("A browser keeps the files, which every host serves", async () => {
  const server = await serve({
    port: 0,
    store: "memory",
    publicUrl: "https://auth.example.test",
    providers: "simulated",
  });
  onTestFinished(() => server.close());
  const known = ["auth.example.test", "acme.auth.example.test", "api.auth.example.test", "127.0.0.1", "[::1]"];
  const service = await setup();
  const pages = ["/__svc/signed-in?error=access_denied", pickerOf("google")].map((path) => pageAt(service, path));
  const files = new Set((await Promise.all(pages)).flatMap(({ html }) => filesOf(html)));
  expect(files.size).toBe(3);
  for (const path of files) {
    const type = path.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    for (const host of [...known, "evil.example"]) {
      const { status, headers } = await ask(server.port, { path, host: `${host}:${server.port}` });
      expect([host, status]).toEqual([host, 200]);
      expect(headers).toMatchObject({
        "content-type": type,
        "cache-control": KEPT,
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  }
});

it("A file that is no page's, or was an earlier version's, is not found", async () => {
  const { fetch } = await setup();
  const [style = ""] = filesOf(await (await fetch("/", IN_A_BROWSER)).text());
  expect((await fetch(style)).status).toBe(200);
  expect((await fetch(`${style}?v=2`)).status).toBe(200);
  const others = ["/__svc/pages", "/__svc/pages/style.css", style.replace(/\w{16}/, "0".repeat(16)), `${style}.map`];
  for (const path of others) {
    const response = await fetch(path);
    expect([path, response.status, response.headers.get("cache-control")]).toEqual([path, 404, "no-store"]);
  }
  expect((await fetch(style, { method: "POST" })).status).toBe(405);
});

it("The log has page files at the level debug, by their route", async () => {
  const { fetch, log } = await setup();
  const [style = ""] = filesOf(await (await fetch("/", IN_A_BROWSER)).text());
  await fetch(style);
  expect(log.requests.at(-1)).toMatchObject({ level: "debug", route: "/__svc/pages/:file", status: 200 });
});
