import { PROVIDERS } from "../../../wire/names.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";

/** The front door in a browser: what is here, and a way to try it. */
export function homePage(instances: readonly InstanceRecord[], addresses: Addresses): string {
  return layout(
    "svc",
    html`<div class="bar"><span class="mark" aria-hidden="true">s</span><span class="pill good">running</span></div>
      <header>
        <h1>svc is running</h1>
        <p>
          An identity proxy with ${PROVIDERS.join(", ")} behind it. Sign in through one of them to see what your
          application gets.
        </p>
      </header>
      <div class="stack">${instances.map((instance) => instanceCard(instance, addresses))}</div>
      <footer>
        <span>Next: <code>npx svc users list</code></span
        ><a href="${addresses.front}/.well-known/openid-configuration">Discovery</a>
      </footer>`,
    "wide",
  );
}

function instanceCard(instance: InstanceRecord, addresses: Addresses): Html {
  const base = addresses.instanceUrl(instance);
  const target = encodeURIComponent(`${addresses.front}/__svc/signed-in`);
  return html`<section class="stack" data-testid="instance-${instance.subdomain}">
    <h2>${instance.name}${!instance.active && html` <span class="pill warn">not active</span>`}</h2>
    <dl>
      <dt>base_url</dt>
      <dd><code>${base}</code></dd>
      <dt>publishable key</dt>
      <dd><code>${instance.publishable_key}</code></dd>
    </dl>
    ${instance.active && canTry(instance) && html`<div class="buttons"><span>Sign in with</span>${PROVIDERS.map((provider) => html`<a class="button" href="${base}/oauth/authorize?provider=${provider}&amp;redirect_uri=${target}" data-testid="try-${instance.subdomain}-${provider}">${provider}</a>`)}</div>`}
    ${instance.redirect_uris.length > 0 && html`<p>Sends users back to ${instance.redirect_uris.join(", ")} only.</p>`}
  </section>`;
}

/** Whether the page that shows the outcome may be sent the token. */
function canTry(instance: InstanceRecord): boolean {
  return instance.redirect_uris.length === 0;
}
