import type { TokenClaims } from "../../../wire/claims.ts";
import { providerTitle } from "../../../wire/providers.ts";
import { visible } from "../../../text/harmless.ts";
import { stepsLink, whyText, type Seen } from "./error.ts";
import { html, layout, type Html } from "./layout.ts";
import { SIGNED_IN_SCRIPT } from "./scripts.ts";

/**
 * Stands in for an application's callback: shows the token and its claims. A script removes the token from the address.
 * @param baseUrl as `svc env` prints it
 */
export function signedInPage(token: string, claims: TokenClaims, baseUrl: string, seen: Seen | undefined): string {
  const rows = Object.entries(claims).map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd data-testid="claim-${name}">
          <code>${String(value)}</code>${isTime(name) && html` <small>${new Date(Number(value) * 1000).toISOString().replace(".000", "")}</small>`}
        </dd>`,
  );
  return layout(
    "Signed in",
    html`<div class="bar">
        <span class="mark" aria-hidden="true">✓</span><span class="pill good">signed in${claims.provider && ` with ${providerTitle(claims.provider)}`}</span>
      </div>
      <header>
        <h1>Welcome, <bdi>${visible(typeof claims.name === "string" ? claims.name : claims.sub)}</bdi></h1>
        <p>Your application gets this token in the query parameter <code>token</code>.</p>
      </header>
      <div class="stack">
        <div class="title">
          <h2>Token</h2>
          <button id="copy" hidden data-testid="copy">Copy</button>
        </div>
        <textarea id="token" rows="5" readonly spellcheck="false" aria-label="Token" data-testid="token">${token}</textarea>
        <h2>Verify it on your server</h2>
        <pre><code data-testid="verify">${verifyLine(baseUrl)}</code></pre>
        <h2>What it says</h2>
        <dl>${rows}</dl>
      </div>
      <footer>
        <span>Next: <code>npx svc-identity sessions list</code></span>
        <span class="buttons">${stepsLink(seen)}<a class="button" href="/">Back</a></span>
      </footer>`,
    { isWide: true, script: SIGNED_IN_SCRIPT },
  );
}

/** Stands in for an application's callback after a sign-in that failed: shows the reason, or else what the error means. */
export function notSignedInPage(error: string, meaning: string | undefined, seen: Seen | undefined): string {
  return layout(
    "Not signed in",
    html`<div class="bar">
        <span class="mark bad" aria-hidden="true">!</span><span class="pill bad" data-testid="error">${error}</span>
      </div>
      <header>
        <h1>Not signed in</h1>
        ${whyText(seen?.reason == null ? meaning : undefined, seen)}
      </header>
      <p>Your application gets <code>error</code> and <code>error_description</code> in its query.</p>
      <footer>
        <span>svc · identity proxy</span>
        <span class="buttons">${stepsLink(seen)}<a class="button" href="/">Back</a></span>
      </footer>`,
    { script: SIGNED_IN_SCRIPT },
  );
}

/** Shown without a token in the query, such as after a reload. */
export function noTokenPage(): string {
  return layout(
    "No token here",
    html`<div class="bar"><span class="mark" aria-hidden="true">s</span></div>
      <header>
        <h1>No token here</h1>
        <p>
          This page shows the token of a sign-in once, and removes it from the address. Sign in again to get another one.
        </p>
      </header>
      <footer><span>svc · identity proxy</span><a class="button" href="/">Back</a></footer>`,
  );
}

function verifyLine(baseUrl: string): Html {
  return html`const { data } = await createClient({ secretKey: process.env.SVC_SECRET_KEY, baseUrl: "${baseUrl}" }).tokens.verify(token);`;
}

function isTime(name: string): boolean {
  return name === "iat" || name === "exp";
}
