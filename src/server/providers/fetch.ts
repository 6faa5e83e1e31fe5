import { Agent, fetch } from "undici";
import type { Fetch } from "../../wire/http/fetch.ts";

const dispatcher = new Agent({ connect: { timeout: 3_000 } });

export const providerFetch: Fetch = (url, init) => fetch(url, { ...init, dispatcher } as Parameters<typeof fetch>[1]);
