import { readFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve, type RunningServer, type SeedInput, type ServeOptions } from "../../src/server/index.ts";
import { APP } from "../_setup.ts";
import { ask } from "../_sockets.ts";

type Instance = SeedInput["instances"][number];

const CLIENT = { client_id: "our-client", client_secret: "our-secret" };
const BLOG: Instance = { name: "Blog", subdomain: "blog", default_provider: "github", redirect_uris: [APP] };
const PUBLIC = "https://auth.example.com";
const host = new URL(PUBLIC).host;

async function start(options: ServeOptions): Promise<{ server: RunningServer; warnings: string[] }> {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const server = await serve({ port: 0, store: "memory", seed: { instances: [BLOG] }, warn, ...options });
  onTestFinished(() => server.close());
  return { server, warnings };
}

describe("A server with credentials for GitHub alone", () => {
  it("offers GitHub to users elsewhere, and starts without a warning", async () => {
    const { server, warnings } = await start({ host: "0.0.0.0", publicUrl: PUBLIC, credentials: { github: CLIENT } });
    expect(server.providers).toEqual({ google: "off", github: "real", twitter: "off" });
    expect(warnings).toEqual([]);
    const signIn = await ask(server.port, { path: `/sign-in?redirect_uri=${APP}`, host });
    expect(new URL(signIn.headers.location!).hostname).toBe("github.com");
    const refused = await ask(server.port, { path: `/oauth/authorize?provider=google&redirect_uri=${APP}`, host });
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      400,
      {
        error:
          "Provider not configured: Blog has no credentials for google. Use github, or set SVC_GOOGLE_CLIENT_ID and SVC_GOOGLE_CLIENT_SECRET on the server",
      },
    ]);
  });

  it("serves the seed of docs/server.md for one provider to users elsewhere", async () => {
    const page = await readFile(new URL("../../docs/server.md", import.meta.url), "utf8");
    const seed = JSON.parse(/### Providers without credentials\n.*?```json\n(.*?)```/s.exec(page)![1]!) as SeedInput;
    const { warnings } = await start({ seed, publicUrl: PUBLIC, credentials: { github: CLIENT } });
    expect(warnings).toEqual([]);
  });

  it("simulates the others on loopback, unless --providers real is given", async () => {
    const auto = await start({ credentials: { github: CLIENT } });
    expect(auto.server.providers).toEqual({ google: "simulated", github: "real", twitter: "simulated" });
    const { server } = await start({ credentials: { github: CLIENT }, providers: "real" });
    expect(server.providers).toEqual({ google: "off", github: "real", twitter: "off" });
    const page = (await ask(server.port, { path: "/" })).body;
    expect(page.match(/data-testid="try-[^"]+"/g)).toEqual(['data-testid="try-blog-github"']);
  });

  it("says where instances differ", async () => {
    const shop: Instance = { ...BLOG, name: "Shop", subdomain: "shop", default_provider: "twitter" };
    const seed = { instances: [BLOG, { ...shop, connections: { twitter: CLIENT } }] };
    const { server } = await start({ seed, providers: "real", credentials: { github: CLIENT } });
    expect(server.providers).toEqual({ google: "off", github: "real", twitter: "by instance" });
  });

  it("starts beside an instance that is not active and has no provider", async () => {
    const shop: Instance = { name: "Shop", subdomain: "shop", default_provider: "twitter", active: false };
    const { server } = await start({
      seed: { instances: [BLOG, shop] },
      providers: "real",
      credentials: { github: CLIENT },
    });
    expect(server.instances).toHaveLength(2);
  });
});

describe("A server that others reach warns at its start", () => {
  const everything = { google: CLIENT, github: CLIENT, twitter: CLIENT };
  const NO_ADDRESS =
    "Users on other machines can't sign in without --public-url. Set it to the address that they see, such as https://auth.example.com.";

  it("without --public-url", async () => {
    expect((await start({ host: "0.0.0.0", credentials: everything })).warnings).toEqual([NO_ADDRESS]);
  });

  it("of a public address without encryption", async () => {
    const { warnings } = await start({ publicUrl: "http://auth.example.com", credentials: everything });
    expect(warnings).toEqual([
      "Tokens travel unencrypted to and from http://auth.example.com. Use an https address, with --https or a load balancer that ends TLS.",
    ]);
  });

  it("of simulated providers, in a container on one's own machine too", async () => {
    const { warnings } = await start({ host: "0.0.0.0", publicUrl: "http://localhost:7820", providers: "simulated" });
    expect(warnings).toEqual(["Providers are simulated: anyone who can reach this server can sign in as anyone."]);
  });

  it("of the demo", async () => {
    const { warnings } = await start({ publicUrl: PUBLIC, seed: undefined, credentials: everything });
    expect(warnings).toEqual([
      "Acme refuses every sign-in: it has no redirect_uris. List its addresses.",
      "Acme and Globex are the demo's instances. Create your own with npx svc-identity init, then start once with --reset, which deletes all records.",
    ]);
  });

  it("of another host name that a proxy may bring others by, on loopback too", async () => {
    const { warnings } = await start({ allowedHosts: ["app.localhost", "auth.example.com"] });
    expect(warnings).toEqual([
      "If a proxy lets others reach this server as auth.example.com, set --public-url. Without it, providers are simulated: anyone can sign in as anyone.",
    ]);
  });

  it("of no host name where nothing is simulated", async () => {
    const real = { providers: "real", credentials: everything } as const;
    expect((await start({ allowedHosts: ["auth.example.com"], ...real })).warnings).toEqual([]);
  });

  it("but not on loopback", async () => {
    expect((await start({ seed: undefined })).warnings).toEqual([]);
  });
});
