import { SIGNED_IN_PATH } from "../../wire/redirect-uri.ts";
import type { Flow, SignIn } from "../api/client.ts";
import { onEvent } from "../api/stream.ts";

const LOOK_EVERY_MS = 150;
/** How often to look for the final page. svc shows some failures itself, without a redirect. */
const PATIENCE = 14;

/**
 * Runs a sign-in in a window, where the user chooses the account, and returns its result. Undefined if the window was
 * closed before the end. The result comes from the events; the token is known if the window ends at our own page.
 * @throws {Error} if the browser opens no window
 */
export async function signInInWindow(
  provider: string,
  instance: string,
  redirect: string,
): Promise<SignIn | undefined> {
  const url = new URL("/oauth/authorize", location.origin);
  url.search = new URLSearchParams({ provider, instance, redirect_uri: redirect }).toString();
  let flow: Flow | undefined;
  const stop = onEvent((event) => {
    if (event.resource !== "flow") return;
    if (event.data.redirect_uri !== redirect || event.data.provider !== provider) return;
    if (flow === undefined || flow.id === event.id) flow = event;
  });
  const popup = globalThis.open(url, "svc-try-it", "popup,width=520,height=720");
  try {
    if (!popup) throw new Error("The browser opened no window: allow pop-ups for this page.");
    for (let patience = PATIENCE; ;) {
      const shown = endOf(popup);
      const hasEnded = flow && flow.data.result !== "open";
      if (flow && hasEnded && (shown || popup.closed || patience-- === 0)) return resultOf(flow, shown);
      if (popup.closed) return undefined;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    stop();
  }
}

interface End {
  readonly location: string;
  readonly token: string | undefined;
}

/** The result that the window shows. Undefined if it has not finished. The page removes the query from its address. */
function endOf(popup: Window): End | undefined {
  try {
    return popup.closed ? undefined : shownBy(popup);
  } catch {
    // The window is at another origin.
    return undefined;
  }
}

function shownBy({ location: at, document: page }: Window): End | undefined {
  if (at.pathname !== SIGNED_IN_PATH || page.readyState !== "complete") return undefined;
  const token = page.querySelector<HTMLTextAreaElement>("#token")?.value;
  const text = (id: string): string => page.querySelector(`[data-testid="${id}"]`)?.textContent ?? "";
  const query = token === undefined ? { error: text("error"), error_description: text("error-detail") } : { token };
  return { token, location: `${at.origin}${SIGNED_IN_PATH}?${new URLSearchParams(query).toString()}` };
}

function resultOf({ id, data }: Flow, shown: End | undefined): SignIn {
  return {
    flow_id: id,
    user_id: data.user_id,
    location: shown?.location ?? null,
    ...(shown?.token !== undefined && { token: shown.token }),
    ...(data.error !== null && { error: data.error }),
  };
}
