import type { Provider } from "../providers.ts";

/** Identifies a browser to a simulated provider. Not secret, and unrelated to the user. */
export const BROWSER_COOKIE = "svc_browser";

/** What a simulated provider answers to a program instead of the account picker. */
export interface AccountChoices {
  /** What to do, in words. */
  readonly message: string;
  readonly provider: Provider;
  /** Continues the sign-in with `login_hint`, an account's id, or `email`, any address, added to its query. */
  readonly url: string;
  /** One page of them. */
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    /** Signs in with this account. */
    readonly url: string;
  }[];
  /** More accounts; null on the last page. */
  readonly next_url: string | null;
  readonly cancel_url: string;
}
