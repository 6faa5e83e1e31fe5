// Below the faces: a server that means harm is played, one answer at a time.
import { describe, expect, it } from "vitest";
import { signInAs } from "../../src/cli/commands/sign-in/steps.ts";
import { createClient } from "../../src/client/index.ts";
import type { FetchResponse } from "../../src/http/fetch.ts";

const FRONT = "http://localhost:7820";
const PICKER = `${FRONT}/__svc/simulator/google/authorize`;
const PAGE = JSON.stringify({ url: `${PICKER}?request=sealed` });

/** Signs in at a server that answers each address so; a path alone is one of its own. */
async function signInAt(
  answers: Readonly<Record<string, string>>,
  account = "ada@acme.test",
): Promise<{ message: string; asked: string[] }> {
  const asked: string[] = [];
  const fetch = async (url: string): Promise<FetchResponse> => {
    asked.push(url);
    const [address = ""] = url.split(/(?<=authorize)\?(?!request)/);
    const answer = answers[url] ?? answers[address] ?? answers[new URL(url).pathname] ?? "Not found";
    const isPage = /^[<{]/.test(answer) || answer === "Not found";
    const init = isPage ? { status: 200 } : { status: 302, headers: { location: answer } };
    return new Response(isPage ? answer : null, init) as unknown as FetchResponse;
  };
  const client = createClient({ baseUrl: FRONT, publishableKey: "pk_acme_0123456789" });
  const { signal } = new AbortController();
  const message = await signInAs({ client, fetch, provider: undefined, redirect_uris: [], signal }, account).then(
    () => "signed in",
    (error: Error) => error.message,
  );
  return { message, asked };
}

describe("svc sign-in --as, at a server that means harm,", () => {
  it("takes no page for an account picker that is not a simulated provider's", async () => {
    const { message, asked } = await signInAt({ "/sign-in": PAGE });
    expect(message).toContain("The service refused the sign-in");
    expect(asked).toHaveLength(1);
  });

  it("follows a choice to no other server", async () => {
    const elsewhere = "http://localhost:8345/admin/delete-everything";
    const { message, asked } = await signInAt({
      "/sign-in": PICKER,
      [PICKER]: PAGE,
      [`${PICKER}?request=sealed&email=ada%40acme.test`]: elsewhere,
    });
    expect(message).toContain("this sign-in continues at localhost:8345");
    expect(asked.filter((url) => !url.startsWith(`${FRONT}/`))).toEqual([]);
  });

  it.each([
    "http://localhost:8345/__svc/simulator/google/authorize",
    `${FRONT}/admin/delete-everything`,
    "no address",
    7,
  ])("takes no page for an account picker that names %j", async (url) => {
    const { message, asked } = await signInAt({ "/sign-in": PICKER, [PICKER]: JSON.stringify({ url }) });
    expect(message).toContain("The service refused the sign-in");
    expect(asked).toHaveLength(2);
  });

  it("does not cancel the sign-in of an unknown account, as if a user had declined", async () => {
    const { message, asked } = await signInAt({ "/sign-in": PICKER, [PICKER]: PAGE }, "stranger");
    expect(message).toBe('The simulated Google has no account "stranger".');
    expect(asked.at(-1)).toBe(`${PICKER}?request=sealed&login_hint=stranger`);
  });

  it.each(["http://[", "http://a b/"])("ends at a redirect that is no address: %s", async (location) => {
    expect((await signInAt({ "/sign-in": location })).message).toContain("The service refused the sign-in");
  });

  it("follows a relative redirect at the same server", async () => {
    const { asked } = await signInAt({ "/sign-in": "/__svc/simulator/google/authorize", [PICKER]: PAGE }, "nobody");
    expect(asked[1]).toBe(PICKER);
  });

  it("reads a page that is long and odd", async () => {
    const { message } = await signInAt({ "/sign-in": PICKER, [PICKER]: "{".repeat(2_000_000) });
    expect(message).toContain("The service refused the sign-in");
  });
});
