import { expect, it } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { APP, SEED, setup } from "../_setup.ts";

const GOOGLE = "https://accounts.google.com";
const EVIL = "https://evil.test";
const OWN = { client_id: "i", client_secret: "s" };

/**
 * A sign-in through google, up to a callback in which the provider names itself by these parameters.
 * @returns the error at the application, and the addresses that svc asked
 */
async function callback(
  endpoints: object,
  parameters: object,
  provider = "google",
): Promise<{ error: string | null; asked: string[] }> {
  const asked: string[] = [];
  const answering: Fetch = async (url) => {
    asked.push(url);
    throw new Error("no network");
  };
  const connections = { [provider]: { ...OWN, endpoints } };
  const seed = { ...SEED, instances: [{ ...SEED.instances[0], connections }] };
  const { fetch } = await setup({ seed, fetch: answering });
  const start = await fetch(`/oauth/authorize?${new URLSearchParams({ provider, redirect_uri: APP }).toString()}`);
  const state = new URL(start.headers.get("location")!).searchParams.get("state")!;
  const query = new URLSearchParams({ code: "the-code", state, ...parameters }).toString();
  const response = await fetch(`/oauth/${provider}/callback?${query}`);
  return { error: new URL(response.headers.get("location")!).searchParams.get("error"), asked };
}

const FOREIGN = { authorize: `${EVIL}/auth`, token: `${EVIL}/token`, userinfo: `${EVIL}/userinfo` };

it.each([
  ["the real provider's code goes to no server that stands in for it", FOREIGN, { iss: GOOGLE }],
  ["a code of another issuer does not go to the real provider", {}, { iss: EVIL }],
  ["an empty issuer is another one", {}, { iss: "" }],
])("T06: %s", async (_, endpoints, parameters) => {
  expect(await callback(endpoints, parameters)).toEqual({ error: "server_error", asked: [] });
});

it.each(["github", "twitter"])("T06: a code of google goes to nobody from a connection to %s", async (provider) => {
  const elsewhere = { authorize: `${EVIL}/auth`, token: `${EVIL}/token` };
  for (const endpoints of [{}, elsewhere])
    expect(await callback(endpoints, { iss: GOOGLE }, provider)).toEqual({ error: "server_error", asked: [] });
  expect((await callback(elsewhere, { iss: EVIL }, provider)).asked).toEqual([`${EVIL}/token`]);
});

it.each([
  ["google with its issuer", {}, { iss: GOOGLE }, "https://oauth2.googleapis.com/token"],
  ["google without it", {}, {}, "https://oauth2.googleapis.com/token"],
  ["another server with an issuer of its own", FOREIGN, { iss: EVIL }, `${EVIL}/token`],
  ["another server without one", FOREIGN, {}, `${EVIL}/token`],
])("T06: a code is exchanged where it comes from: %s", async (_, endpoints, parameters, token) => {
  expect((await callback(endpoints, parameters)).asked).toEqual([token]);
});
