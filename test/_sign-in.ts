import { expect } from "vitest";
import type { StateRecord } from "../src/server/store/records.ts";
import { SIGN_IN_ERRORS, type SignInErrorCode } from "../src/wire/errors.ts";
import type { FetchResponse } from "../src/http/fetch.ts";
import { PROVIDERS, type Provider } from "../src/wire/providers.ts";
import { locationOf } from "./_answers.ts";
import { APP, type Service } from "./_setup.ts";

export const unknownProvider = (named?: string) => ({
  error: `Unknown provider: use one of ${PROVIDERS.join(", ")}${named === undefined || !/^[a-zA-Z]+$/.test(named) ? "" : `, not ${JSON.stringify(named)}`}`,
});

/** A client at every provider, so that none is simulated. */
export const CREDENTIALS = Object.fromEntries(
  PROVIDERS.map((name) => [name, { client_id: `our-${name}`, client_secret: `${name}-secret` }]),
);

export function authorizePath(provider: Provider, login_hint = "ada", redirect_uri = APP): string {
  return `/oauth/authorize?${new URLSearchParams({ provider, redirect_uri, login_hint }).toString()}`;
}

/** A sign-in up to the callback address that the simulated provider redirects to. */
export async function untilCallback(service: Service, ...request: Parameters<typeof authorizePath>): Promise<URL> {
  const toProvider = locationOf(await service.fetch(authorizePath(...request)));
  return locationOf(await service.fetch(toProvider.href));
}

export async function begun(service: Service, provider: Provider): Promise<string> {
  return locationOf(await service.fetch(authorizePath(provider))).searchParams.get("state")!;
}

export async function recordOf({ store }: Service, state: string): Promise<StateRecord> {
  return (await store.find("states", state))!;
}

export function failure(code: SignInErrorCode): string {
  return `${APP}?error=${code}&error_description=${encodeURIComponent(SIGN_IN_ERRORS[code])}`;
}

export async function expectRefusedState(response: Response): Promise<void> {
  expect(response.headers.get("location")).toBeNull();
  expect([response.status, await response.json()]).toEqual([400, { error: "Invalid or expired state" }]);
}

export function reply(body: unknown): FetchResponse {
  return new Response(JSON.stringify(body)) as FetchResponse;
}
