import { signal } from "@preact/signals";
import { createControlClient, type ServerEvent } from "../../control-client/index.ts";
import type { Fetch } from "../../http/fetch.ts";
import type { AnswerOf } from "../../wire/control/types.ts";

const STORAGE_KEY = "svc_dashboard_key";

/** The dashboard's key. Undefined if this browser has none, or the server no longer accepts it. */
export const dashboardKey = signal<string | undefined>(localStorage.getItem(STORAGE_KEY) ?? undefined);

/** Why this browser is signed out: the last one-time link did not sign it in, or its key is no longer valid. */
export const signedOutReason = signal<string | undefined>(undefined);

// Signing in or out in one tab affects all tabs.
globalThis.addEventListener("storage", (event) => {
  if (event.key === STORAGE_KEY) dashboardKey.value = event.newValue ?? undefined;
});

const WANTED_KEY = "svc_dashboard_wanted";
const WANTED_MS = 600_000;

/** Keeps the address that was asked for without a key: a one-time link, in this tab or another, then leads to it. */
export function rememberAddress(): void {
  const { hash } = globalThis.location;
  if (!/^#\/./.test(hash)) return;
  localStorage.setItem(WANTED_KEY, JSON.stringify({ hash, at: Date.now() }));
}

/** The address that was remembered a short while ago, once. */
function wantedAddress(): string {
  const text = localStorage.getItem(WANTED_KEY);
  localStorage.removeItem(WANTED_KEY);
  const { hash, at } = JSON.parse(text ?? "{}") as { hash?: string; at?: number };
  return hash !== undefined && at !== undefined && Date.now() - at < WANTED_MS ? hash : "#/";
}

function showAddress(hash: string): void {
  history.replaceState(null, "", hash);
  globalThis.dispatchEvent(new HashChangeEvent("hashchange"));
}

export function forgetKey(): void {
  if (dashboardKey.peek() === undefined) return;
  localStorage.removeItem(STORAGE_KEY);
  dashboardKey.value = undefined;
  signedOutReason.value =
    "The server refused this browser's key: it has expired or was revoked, or belongs to another server.";
}

/**
 * Exchanges the code of a one-time link (`/__svc/#code=…`) for a dashboard key, once. The code is removed from the
 * address and the browser's history before anything else happens.
 */
export async function redeemLink(): Promise<void> {
  const code = /^#code=(.+)$/.exec(globalThis.location.hash)?.[1];
  if (code === undefined) return;
  showAddress("#/");
  const response = await fetch("v1/dashboard-keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (!response?.ok) {
    signedOutReason.value = response ? "This link was already used, or has expired." : "The server cannot be reached.";
    return;
  }
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(STORAGE_KEY, key);
  showAddress(wantedAddress());
  dashboardKey.value = key;
  signedOutReason.value = undefined;
}

/** Counts the times that what is shown may be old: records were changed, events missed, or the service responds again. */
export const changes = signal(0);

/** Counts the responses that say that the server's database is unavailable. */
export const unavailable = signal(0);

/** The control API, with the key that this browser has now. */
export const control = createControlClient({
  url: globalThis.location.origin,
  controlKey: () => dashboardKey.peek() ?? "",
  fetch: send,
});

/** A rejected key is deleted, and the sign-in page is shown. */
async function send(...[url, init]: Parameters<Fetch>): ReturnType<Fetch> {
  const response = await fetch(url, init);
  if (response.status === 401) forgetKey();
  if (response.status === 503) unavailable.value++;
  return response;
}

/** The responses of the control API, by the table of its routes. */
export type State = AnswerOf<"GET /state">;
export type Clock = AnswerOf<"GET /clock">;
export type Instance = AnswerOf<"GET /instances/:id">;
export type Connection = AnswerOf<"GET /instances/:id/connections">[number];
export type User = AnswerOf<"GET /users/:id">;
export type Session = AnswerOf<"GET /sessions/:session_id">;
export type Persona = AnswerOf<"GET /personas/:id">;
export type Token = AnswerOf<"POST /tokens">;
export type SignIn = AnswerOf<"POST /sign-ins">;
export type Outcome = AnswerOf<"GET /outcomes">[number];
export type Scenario = AnswerOf<"POST /scenarios">;
export type OutcomeId = Outcome["id"];
export type Flow = Extract<ServerEvent, { resource: "flow" }>;
/** A request and its response. The server has removed secrets. */
export type RequestEntry = Extract<ServerEvent, { resource: "request" }>;
