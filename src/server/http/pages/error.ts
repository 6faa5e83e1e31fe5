import { ERRORS, type ErrorCode } from "../../../wire/errors.ts";
import { visible } from "../../../text/harmless.ts";
import type { WayBack } from "../../errors.ts";
import { html, layout, type Html } from "./layout.ts";

/** What to do, if the error does not say it. */
const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_state:
    "A sign-in can be finished once, within ten minutes, and in the browser that began it, with cookies allowed. Go back to the application and sign in again.",
  instance_not_found:
    "The application's link leads to no active instance. Check the address, and instance or publishable_key in it. The server's log has the reason.",
  not_found: "There is no page at this address. Check it for typing errors.",
};

/** A sign-in for whoever develops the application: on a server that no other machine can reach. */
export interface Seen {
  readonly reason: string | null;
  readonly steps: string;
}

interface WaysOn {
  readonly wayBack?: WayBack | undefined;
  readonly home?: string | undefined;
  readonly seen?: Seen | undefined;
}

/** Why a request failed, and the reason of its sign-in; once, where one says the other too. */
export function whyText(why: string | undefined, seen: Seen | undefined): Html {
  const says = (longer = "", shorter = ""): boolean =>
    longer.toLowerCase().includes(shorter.toLowerCase().replace(/\.$/, ""));
  const reason = seen?.reason ?? undefined;
  const isDetail = why !== undefined && (reason === undefined || !says(reason, why));
  const isReason = reason !== undefined && (!isDetail || !says(why, reason));
  return html`${isDetail && html`<p data-testid="error-detail">${visible(why)}</p>`}
  ${isReason && html`<p data-testid="reason">${visible(reason)}</p>`}`;
}

export function stepsLink(seen: Seen | undefined): Html | false {
  return seen !== undefined && html`<a class="button" href="${seen.steps}" data-testid="steps">See every step</a>`;
}

/** For a person whose request failed: what happened, what to do, and a way on. */
export function errorPage(code: ErrorCode, detail?: string, { wayBack, home, seen }: WaysOn = {}): string {
  const { status, error } = ERRORS[code];
  const advice = ADVICE[code] ?? (detail && `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`);
  return layout(
    error,
    html`<div class="bar">
        <span class="mark bad" aria-hidden="true">!</span><span class="pill bad">${status}</span>
      </div>
      <header>
        <h1 data-testid="error-title">${error}</h1>
        ${whyText(advice, seen)}
      </header>
      <footer>
        <span>svc · identity proxy</span>
        <span class="buttons">
          ${stepsLink(seen)}
          ${home !== undefined && html`<a class="button" href="${home}" data-testid="home">Start page</a>`}
          ${wayBack && html`<a class="button primary" href="${wayBack.origin}" data-testid="way-back">Back to ${visible(wayBack.name)}</a>`}
        </span>
      </footer>`,
  );
}
