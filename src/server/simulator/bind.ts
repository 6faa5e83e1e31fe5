import type { Provider } from "../../wire/providers.ts";
import type { Cookie } from "../cookies.ts";
import { AWAITS_BROWSER, isPageBinding, pageBinding } from "../sign-in/binding.ts";
import type { Application } from "../providers/connections.ts";
import type { StateRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { ANOTHER_BROWSER, noLongerValid } from "./authorize-request.ts";

interface BindDeps {
  readonly store: Store;
  readonly addresses: { readonly isHttps: boolean };
}

/**
 * Binds a sign-in that a browser began at another host than the callback's: the first browser at the page gets it.
 * @param request.browser its secret id; undefined for a program
 * @param application that a refusal links back to
 * @returns the cookie for the callback; undefined if the sign-in is not bound here
 * @throws {SignInRefused} if another browser was first
 */
export async function bindAtPage(
  { store, addresses }: BindDeps,
  { provider, browser }: { readonly provider: Provider; readonly browser: string | undefined },
  state: string,
  application: Application | undefined,
): Promise<Cookie | undefined> {
  if (browser === undefined) return undefined;
  const found = await store.find("states", state);
  if (!found || found.provider !== provider || !isPageBinding(found.binding)) return undefined;
  const { hash, cookie } = pageBinding(state, browser, addresses.isHttps);
  const bound = found.binding === AWAITS_BROWSER ? await store.change("states", state, bindTo(hash)) : found;
  if (bound?.binding === hash) return cookie;
  throw noLongerValid(provider, application, ANOTHER_BROWSER);
}

/** One write, which only the first of several browsers makes. */
function bindTo(hash: string) {
  return (record: StateRecord | undefined): StateRecord | undefined =>
    record?.binding === AWAITS_BROWSER ? { ...record, binding: hash } : record;
}
