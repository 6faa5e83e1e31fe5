// Below the faces: the service asks a provider of the test as it asks a real one, and moves its clock by hand.

import { createServer } from "node:http";
import { expect } from "vitest";
import { createProviderFetch } from "../src/server/providers/fetch.ts";
import type { SessionRecord } from "../src/server/store/records.ts";
import type { UserView } from "../src/server/store/store.ts";
import type { Provider } from "../src/wire/providers.ts";
import { json, type Answer, type ProviderRequest } from "./providers/_reply.ts";
import { REAL } from "./providers/_real.ts";
import { APP, SEED, setup, type Service } from "./_setup.ts";
import { portOf } from "./_port-of.ts";

export interface Fake {
  readonly service: Service;
  /** The requests to the provider, in order. */
  readonly requests: ProviderRequest[];
  /** May be changed between sign-ins. */
  readonly answers: Record<string, Answer>;
  signIn(): Promise<URL>;
}

/** The service with a provider behind it on a real socket, which gives these answers and otherwise valid ones. */
export async function setupProvider(
  provider: Provider,
  changed: Record<string, Answer> = {},
  secret = "s3cret",
): Promise<Fake> {
  const answers = { ...REAL[provider].answers, ...changed };
  const requests: ProviderRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, path: url, headers, body });
      const answer = answers[url.split("?")[0]!] ?? json({ message: "Not Found" }, 404);
      answer(response, requests.at(-1)!);
    });
  });
  const origin = `http://127.0.0.1:${await portOf(server)}`;
  const endpoints = Object.fromEntries(
    Object.entries(REAL[provider].endpoints).map(([name, path]) => [name, origin + path]),
  );
  const connections = { [provider]: { client_id: "our-id", client_secret: secret, endpoints } };
  const service = await setup({
    seed: { ...SEED, instances: [{ ...SEED.instances[0], connections }] },
    fetch: createProviderFetch({}),
  });
  const signIn = async (): Promise<URL> => {
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const begun = await service.fetch(`/oauth/authorize?${query.toString()}`);
    const toProvider = new URL(begun.headers.get("location")!);
    expect(toProvider.origin + toProvider.pathname).toBe(`${origin}/auth`);
    const state = toProvider.searchParams.get("state");
    const response = await service.fetch(`/oauth/${provider}/callback?code=the-code&state=${state}`);
    expect(response.status).toBe(302);
    return new URL(response.headers.get("location")!);
  };
  return { service, requests, answers, signIn };
}

export async function contents({ store, acme }: Service): Promise<{ users: UserView[]; sessions: SessionRecord[] }> {
  const users: UserView[] = [];
  for await (const batch of store.users(acme.id, {})) users.push(...batch);
  const sessions: SessionRecord[] = [];
  for await (const batch of store.sessions(acme.id, {})) sessions.push(...batch);
  return { users, sessions };
}
