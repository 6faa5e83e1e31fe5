import type { Flow, SignIn } from "../../api/records.ts";
import { onEvent } from "../../api/stream.ts";
import { asFlow } from "../flows/flow-table.tsx";

const LOOK_EVERY_MS = 150;
/** So often is looked for the page after the end; svc answers some failures itself, and sends nobody there. */
const PATIENCE = 14;
/** Where a sign-in without an application ends. */
const SIGNED_IN = "/__svc/signed-in";

/**
 * Runs a sign-in in a window, where somebody chooses the account, and tells how it ended; undefined: the window was closed
 * before. The events tell of the sign-in, and the window, which is of this origin, has the token.
 * @throws {Error} where the browser opens no window
 */
export async function signInInWindow(provider: string, instance: string): Promise<SignIn | undefined> {
  const redirect = `${globalThis.location.origin}${SIGNED_IN}`;
  const url = new URL("/oauth/authorize", globalThis.location.origin);
  url.search = new URLSearchParams({ provider, instance, redirect_uri: redirect }).toString();
  let flow: Flow | undefined;
  const stop = onEvent((event) => {
    const seen = asFlow(event);
    if (!seen || seen.data.redirect_uri !== redirect || seen.data.provider !== provider) return;
    if (flow === undefined || flow.id === seen.id) flow = seen;
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

/** What the window shows at the end; undefined: it is not there yet. The page takes the query out of its address. */
function endOf({ closed, location, document }: Window): End | undefined {
  if (closed || location.pathname !== SIGNED_IN || document.readyState !== "complete") return undefined;
  const token = document.querySelector<HTMLTextAreaElement>("#token")?.value;
  const text = (id: string): string => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "";
  const query = token === undefined ? { error: text("error"), error_description: text("error-detail") } : { token };
  return { token, location: `${location.origin}${SIGNED_IN}?${new URLSearchParams(query).toString()}` };
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
