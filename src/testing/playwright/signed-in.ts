import type { Browser, BrowserContext } from "@playwright/test";
import { ControlError, type TestService } from "../index.ts";
import { checkOptions } from "../options.ts";
import { BROWSER_COOKIE } from "../../wire/outcomes.ts";
import { TOKEN_LIFETIME_SECONDS } from "../../wire/claims.ts";
import type { SignInAs, SignInAsOptions } from "./sign-in-as.ts";

export type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/**
 * What a browser that is signed in has stored. Signs in once for a worker, and again when the token has expired or its user
 * is gone.
 * @throws {Error} if the sign-in fails
 */
export type StorageStateFor = (
  account: string,
  options?: Pick<SignInAsOptions, "provider" | "path">,
) => Promise<StorageState>;

interface Entry {
  readonly state: StorageState;
  readonly userId: string;
  /** In milliseconds since 1970, by the service's clock. */
  readonly signedInAt: number;
}

export interface SignInDeps {
  readonly svc: TestService;
  readonly browser: Browser;
  readonly baseURL: string | undefined;
  readonly signInAs: SignInAs;
}

const EMPTY: StorageState = { cookies: [], origins: [] };

/** The states of browsers that are signed in, kept for a worker. */
export class SignedIn {
  readonly #entries = new Map<string, Entry>();

  async storageState(
    deps: SignInDeps,
    account: string,
    options: Pick<SignInAsOptions, "provider" | "path">,
  ): Promise<StorageState> {
    checkOptions("storageStateFor", options, ["provider", "path"]);
    const name = JSON.stringify([deps.baseURL, account, options.provider, options.path]);
    const before = this.#entries.get(name);
    if (before && (await isGood(deps.svc, before))) return before.state;
    const entry = await signIn(deps, account, options);
    this.#entries.set(name, entry);
    return entry.state;
  }
}

async function isGood({ clock, users }: TestService, { userId, signedInAt }: Entry): Promise<boolean> {
  const age = clock.now().getTime() - signedInAt;
  if (age < 0 || age >= TOKEN_LIFETIME_SECONDS * 1000) return false;
  try {
    await users.get(userId);
    return true;
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) return false;
    throw error;
  }
}

async function signIn(
  { svc, browser, baseURL, signInAs }: SignInDeps,
  account: string,
  options: Pick<SignInAsOptions, "provider" | "path">,
): Promise<Entry> {
  const context = await browser.newContext({ storageState: EMPTY, ...(baseURL !== undefined && { baseURL }) });
  try {
    const signedInAt = svc.clock.now().getTime();
    const { data } = await signInAs(await context.newPage(), account, options);
    if (data.user_id === null) throw new Error(`${account} could not sign in: ${data.error}. ${data.reason ?? ""}`);
    const { cookies, ...rest } = await context.storageState();
    // It belongs to a test, not to the signed-in user.
    const state = { ...rest, cookies: cookies.filter((cookie) => cookie.name !== BROWSER_COOKIE) };
    return { state, userId: data.user_id, signedInAt };
  } finally {
    await context.close();
  }
}
