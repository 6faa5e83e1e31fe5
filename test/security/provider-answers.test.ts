import { expect, it } from "vitest";
import { locationOf } from "../_answers.ts";
import { connected, network, openProvider } from "../_attacks.ts";
import { APP, setup } from "../_setup.ts";

it("T50: A provider that sends an endless list of addresses is read no further", async () => {
  const provider = await openProvider();
  const own = { email: "joan@acme.test", primary: true, verified: true };
  const list = (before: number): string => JSON.stringify([...Array.from({ length: before }, () => 0), own]);
  const query = new URLSearchParams({ provider: "github", redirect_uri: APP }).toString();
  const signIn = async (before: number): Promise<string | null> => {
    provider.reply = (path) => (path === "/github/emails" ? { body: list(before) } : undefined);
    const service = await setup({ seed: connected(provider), fetch: network });
    const state = locationOf(await service.fetch(`/oauth/authorize?${query}`)).searchParams.get("state");
    const back = locationOf(await service.fetch(`/oauth/github/callback?code=c&state=${state}`));
    return back.searchParams.get("error");
  };
  expect(await signIn(99)).toBeNull();
  expect(await signIn(50_000)).toBe("email_not_verified");
});
