import { describe, expect, it } from "vitest";
import { embed, type SeedInput } from "../../src/server/index.ts";
import { SEED, setup } from "../_setup.ts";

const BROWSER = { "user-agent": "Mozilla/5.0", "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };
const ENTRY = "https://*.preview.acme.dev/callback";

function withEntries(preview: boolean, ...redirect_uris: string[]): { instances: object[] } {
  return { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris, preview }] };
}

const applied = async (preview: boolean, ...entries: string[]): Promise<void> => {
  const server = await embed({ seed: withEntries(preview, ...entries) as SeedInput });
  await server.close();
};

describe("An entry with a * in a preview instance", () => {
  it.each([
    ENTRY,
    "https://*.preview.acme.dev:8443/callback?*",
    "https://*.my-project.pages.dev/",
    "https://deploy-preview-*.my-team.netlify.app/callback",
    "https://app-*-team.acme.dev/callback",
    "https://web.*.acme.co.uk/callback",
    "https://*.d111abc.amplifyapp.com/callback",
    "https://*.apps.corp/callback",
    "HTTPS://*.PREVIEW.acme.dev:443/callback",
  ])("may be %s", async (entry) => {
    await expect(applied(true, entry, "https://acme.dev/callback")).resolves.toBeUndefined();
  });

  it.each([
    ["https://app-*-team.vercel.app/callback", "vercel.app"],
    ["https://deploy-preview-*--my-site.netlify.app/callback", "netlify.app"],
    ["https://*.pages.dev/callback", "pages.dev"],
    ["https://*.github.io/callback", "github.io"],
    ["https://web.*.vercel.app/callback", "vercel.app"],
    ["https://*.compute.amazonaws.com/callback", "compute.amazonaws.com"],
    ["https://*.dev/callback", "dev"],
    ["https://*.co.uk/callback", "co.uk"],
    ["https://*.xn--p1ai/callback", "xn--p1ai"],
    ["https://*.localhost/callback", "localhost"],
    ["https://*.VERCEL.APP/callback", "vercel.app"],
  ])("T69: may not be %s, where anyone can claim a name", async (entry, domain) => {
    await expect(applied(true, entry)).rejects.toThrow(
      `instances[0].redirect_uris[0]: anyone can claim a name under ${domain}, and would get the tokens. Give previews a domain of your own`,
    );
  });

  it.each([
    "http://*.preview.acme.dev/callback",
    "https://*.*.acme.dev/callback",
    "https://**.acme.dev/callback",
    "https://*/callback",
    "https://acme.*/callback",
    "https://*.acme.dev./callback",
    "https://*.acme.dev/*",
    "https://acme.dev/*",
    "https://*.acme.dev/callback?x=*",
    "https://acme.dev:*/callback",
    "https://*.acme_corp.dev/callback",
    "https://*.127.0.0.1/callback",
    "https://[*]/callback",
    "https://*@acme.dev/callback",
    "com.acme.*:/callback",
    "http://*.localhost:3000/callback",
  ])("may not be %s", async (entry) => {
    await expect(applied(true, entry)).rejects.toThrow("instances[0].redirect_uris[0]: ");
  });
});

it.each([
  [ENTRY, "a * in the host is for preview instances"],
  ["https://app-*-team.vercel.app/callback", "a * in the host is for preview instances"],
  ["http://*.localhost/callback", "a * in the host is for preview instances"],
  ["https://acme.dev/*", "a * stands for nothing there"],
  ["https://acme.dev/callback?next=*", "a * stands for nothing there"],
])("An instance that is not for previews may not have %s, and is told what to write", async (entry, why) => {
  await expect(applied(false, entry)).rejects.toThrow(`instances[0].redirect_uris[0]: ${why}`);
});

describe("A preview deployment", () => {
  const start = async (seed: object, redirect_uri: string): Promise<Response> => {
    const { fetch } = await setup({ seed, isLocal: false });
    const query = new URLSearchParams({ redirect_uri }).toString();
    return fetch(`/sign-in?${query}`, { headers: { ...BROWSER, accept: "text/html" } });
  };

  it("gets its user back, with a token of the preview instance", async () => {
    const service = await setup({ seed: withEntries(true, ENTRY) });
    const location = await service.signIn("google", "ada", {
      redirect_uri: "https://pr-42.preview.acme.dev/callback",
    });
    expect(location.host).toBe("pr-42.preview.acme.dev");
    expect(location.searchParams.get("token")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it("T69: is refused elsewhere, without an address to go back to", async () => {
    const refused = await start(withEntries(true, ENTRY), "https://pr-42.preview.acme.dev.evil.test/callback");
    expect(refused.status).toBe(400);
    expect(await refused.text()).not.toContain("*.preview.acme.dev");
  });

  it("is sent back to the instance's own address if it has one too", async () => {
    const refused = await start(withEntries(true, ENTRY, "https://acme.dev/callback"), "https://evil.test/callback");
    expect(await refused.text()).toContain('href="https://acme.dev"');
  });

  it("is no address that the first page could go to", async () => {
    const linked = async (...entries: string[]): Promise<(string | null)[]> => {
      const { fetch } = await setup({ seed: { instances: [withEntries(true, ...entries).instances[0]!] } });
      const page = await (await fetch("/", { headers: { ...BROWSER, accept: "text/html" } })).text();
      const links = [...page.matchAll(/href="([^"]*redirect_uri=[^"]*)"/g)].map(([, href = ""]) => href);
      return [
        ...new Set(
          links.map((href) => new URLSearchParams(href.replaceAll("&#38;", "&").split("?")[1]).get("redirect_uri")),
        ),
      ];
    };
    expect(await linked(ENTRY)).toEqual([]);
    expect(await linked(ENTRY, "https://acme.dev/callback?*")).toEqual(["https://acme.dev/callback"]);
  });
});
