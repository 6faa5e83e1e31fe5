import type { TokenClaims } from "../../../wire/claims.ts";
import { html } from "./html.ts";
import { layout } from "./layout.ts";

/** Stands in for an application's callback: what the token says. The token itself is in the address alone. */
export function signedInPage(claims: TokenClaims): string {
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
        <img class="avatar" src="${claims.avatar_url}" alt="" width="40" height="40" /><span class="pill good"
          >signed in with ${claims.provider}</span
        >
      </div>
      <header>
        <h1>Welcome, ${claims.name}</h1>
        <p>Your application gets a token in the query parameter <code>token</code>. This one says:</p>
      </header>
      <dl>${rows}</dl>
      <footer>
        <span>Next: <code>npx svc sessions list</code></span
        ><a href="/">Back</a>
      </footer>`,
    "wide",
  );
}

/** The same for a sign-in that failed: what an application finds in its query. */
export function notSignedInPage(error: string, description: string): string {
  return layout(
    "Not signed in",
    html`<div class="bar">
        <span class="mark" style="--brand:#b3261e" aria-hidden="true">!</span
        ><span class="pill bad" data-testid="error">${error}</span>
      </div>
      <header>
        <h1>Not signed in</h1>
        <p data-testid="error-detail">${description}</p>
      </header>
      <p>Your application gets <code>error</code> and <code>error_description</code> in its query.</p>
      <footer><span>svc · identity proxy</span><a href="/">Back</a></footer>`,
  );
}

function isTime(name: string): boolean {
  return name === "iat" || name === "exp";
}
