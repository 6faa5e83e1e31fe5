import { signal } from "@preact/signals";

const STORAGE_KEY = "svc_dashboard_key";

/** The dashboard's own key; undefined: this browser has none, or the server no longer accepts it. */
export const dashboardKey = signal<string | undefined>(localStorage.getItem(STORAGE_KEY) ?? undefined);

/** Why the last one-time link did not sign this browser in. */
export const linkProblem = signal<string | undefined>(undefined);

// Another tab that signs in, or is signed out, speaks for all of them.
globalThis.addEventListener("storage", (event) => {
  if (event.key === STORAGE_KEY) dashboardKey.value = event.newValue ?? undefined;
});

export function forgetKey(): void {
  localStorage.removeItem(STORAGE_KEY);
  dashboardKey.value = undefined;
}

/**
 * Exchanges the code of a one-time link (`/__svc/#code=…`) for a dashboard key, once. The code leaves the address and the
 * browser's history before anything else happens.
 */
export async function redeemLink(): Promise<void> {
  const code = /^#code=(.+)$/.exec(globalThis.location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, "", "#/");
  globalThis.dispatchEvent(new HashChangeEvent("hashchange"));
  const response = await fetch("v1/dashboard-keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (!response?.ok) {
    linkProblem.value = response ? "This link was already used, or has expired." : "The server cannot be reached.";
    return;
  }
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(STORAGE_KEY, key);
  dashboardKey.value = key;
}
