import { describe, expect, it } from "vitest";
import { locationOf, requestOn } from "../_answers.ts";
import { APP, SEED, setup, type Service } from "../_setup.ts";

const COUNT = 20_000;

function person(i: number): Record<string, unknown> {
  const email = `user${i}@many.test`;
  return {
    id: `p-${i}`,
    name: `Person ${i}`,
    email,
    google: { sub: `9${i}`, email_verified: true },
    ...(i % 2 === 0 && {
      github: { id: i + 1, login: `login${i}`, emails: [{ email, primary: true, verified: true }] },
    }),
  };
}

async function openPicker(service: Service, provider = "google"): Promise<URL> {
  const query = new URLSearchParams({ provider, redirect_uri: APP });
  const toPicker = locationOf(await service.fetch(`/oauth/authorize?${query.toString()}`));
  return requestOn(await (await service.fetch(toPicker.href)).text(), toPicker);
}

async function pageAt(
  service: Service,
  url: URL,
  more: Record<string, string>,
): Promise<{ html: string; ids: string[] }> {
  const response = await service.fetch(`${url.href}&${new URLSearchParams(more).toString()}`);
  const html = await response.text();
  return { html, ids: [...html.matchAll(/data-testid="account-([^"]*)"/g)].map(([, id]) => id!) };
}

function linkIn(html: string, testId: string): Record<string, string> {
  const [, href = ""] = new RegExp(`href="authorize\\?([^"]*)" data-testid="${testId}"`).exec(html) ?? [];
  const query = new URLSearchParams(href.replaceAll("&#38;", "&"));
  query.delete("request");
  return Object.fromEntries(query);
}

describe("The account picker with 20,000 personas", () => {
  const seed = { ...SEED, personas: Array.from({ length: COUNT }, (_, i) => person(i)) };

  it("shows small pages in both directions and searches on the server", async () => {
    const service = await setup({ seed });
    const url = await openPicker(service);
    const first = await pageAt(service, url, {});
    expect(first.ids).toEqual(Array.from({ length: 10 }, (_, i) => `p-${i}`));
    expect(Buffer.byteLength(first.html)).toBeLessThan(32_000);
    expect(first.html).toContain("Search 20,000 accounts");
    const second = await pageAt(service, url, linkIn(first.html, "next"));
    expect(second.ids).toEqual(Array.from({ length: 10 }, (_, i) => `p-${i + 10}`));
    const back = await pageAt(service, url, linkIn(second.html, "previous"));
    expect(back.ids).toEqual(first.ids);
    expect([linkIn(back.html, "previous"), linkIn(back.html, "next")]).toEqual([{}, linkIn(first.html, "next")]);

    expect((await pageAt(service, url, { q: "PERSON 19999" })).ids).toEqual(["p-19999"]);
    expect((await pageAt(service, url, { q: "user14321@" })).ids).toEqual(["p-14321"]);
    const found = await pageAt(service, url, { q: "person 1999" });
    expect(found.ids).toEqual(["p-1999", ...Array.from({ length: 9 }, (_, i) => `p-${19_990 + i}`)]);
    const rest = await pageAt(service, url, linkIn(found.html, "next"));
    expect(rest.ids).toEqual(["p-19999"]);
    expect(linkIn(rest.html, "next")).toEqual({});
    expect((await pageAt(service, url, linkIn(rest.html, "previous"))).ids).toEqual(found.ids);
    expect((await pageAt(service, url, { q: "no such person" })).ids).toEqual([]);

    // Personas without an account at the provider are omitted.
    const github = await pageAt(service, await openPicker(service, "github"), {});
    expect(github.ids).toEqual(Array.from({ length: 10 }, (_, i) => `p-${i * 2}`));
    expect((await service.signIn("google", "user17777@many.test")).searchParams.has("token")).toBe(true);
  });
});
