import { ERRORS, type ErrorCode } from "../../../wire/errors.ts";
import { visible } from "../../../wire/text/harmless.ts";
import type { WayBack } from "../../errors.ts";
import { html, layout } from "./layout.ts";

/** What to do, if the error does not say it. */
const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_state:
    "A sign-in can be finished once, within ten minutes, and in the browser that began it. Go back to the application and sign in again.",
  instance_not_found:
    "The application's link leads to no active instance. Check the address, and instance or publishable_key in it. The server's log has the reason.",
  not_found: "There is no page at this address. Check it for typing errors.",
  unknown_provider: "The application's link names a provider that svc does not know. Check provider in it.",
};

interface WaysOn {
  readonly wayBack?: WayBack | undefined;
  readonly home?: string | undefined;
}

/** For a person whose request failed: what happened, what to do, and a way on. */
export function errorPage(code: ErrorCode, detail?: string, { wayBack, home }: WaysOn = {}): string {
  const { status, error } = ERRORS[code];
  const advice = ADVICE[code] ?? (detail && `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`);
  return layout(
    error,
    html`<div class="bar">
        <span class="mark bad" aria-hidden="true">!</span><span class="pill bad">${status}</span>
      </div>
      <header>
        <h1 data-testid="error-title">${error}</h1>
        ${advice && html`<p data-testid="error-detail">${advice}</p>`}
      </header>
      <footer>
        <span>svc · identity proxy</span>
        <span class="buttons">
          ${home !== undefined && html`<a class="button" href="${home}" data-testid="home">Start page</a>`}
          ${wayBack && html`<a class="button primary" href="${wayBack.origin}" data-testid="way-back">Back to ${visible(wayBack.name)}</a>`}
        </span>
      </footer>`,
  );
}
