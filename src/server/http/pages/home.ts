import { PROVIDER_TITLES, type Provider } from "../../../wire/providers.ts";
import { tryTarget } from "../../../wire/redirect-uri.ts";
import { visible } from "../../../text/harmless.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { html, layout, logo, type Html } from "./layout.ts";

interface HomeOptions {
  readonly hasControl: boolean;
  readonly allowsUnlisted: boolean;
}

/** The start page: the dashboard, and the instances with links to try a sign-in. */
export function homePage(
  instances: readonly InstanceRecord[],
  addresses: Addresses,
  providersOf: (instance: InstanceRecord) => readonly Provider[],
  { hasControl, allowsUnlisted }: HomeOptions,
): string {
  return layout(
    "svc",
    html`<div class="bar"><span class="mark" aria-hidden="true">s</span><span class="pill good">running</span></div>
      <header>
        <h1>svc is running</h1>
        <p>
          An identity proxy for your applications. Sign in through a provider to see what an application gets.
        </p>
        <p data-testid="whose">
          Each instance below is an application, with users and keys of its own. A seed file replaces the demo's by yours.
        </p>
        ${
          hasControl &&
          html`<p>
            The <a href="${addresses.front}/__svc/" data-testid="dashboard">dashboard</a> has every sign-in step by step,
            users and the clock. <code>npx svc-identity open dashboard</code> signs a browser in to it.
          </p>`
        }
      </header>
      <div class="stack">${instances.map((instance) => instanceCard(instance, addresses, providersOf(instance), allowsUnlisted))}</div>
      <footer class="buttons">
        <span>Next: <code>npx svc-identity users list</code></span>
        <span class="buttons"
          >${hasControl && html`<a href="${addresses.front}/__svc/openapi.json">OpenAPI document</a>`}
          <a href="${addresses.front}/.well-known/openid-configuration">Discovery</a></span
        >
      </footer>`,
    { isWide: true },
  );
}

function instanceCard(
  instance: InstanceRecord,
  addresses: Addresses,
  providers: readonly Provider[],
  allowsUnlisted: boolean,
): Html {
  const { name, subdomain, active, publishable_key, redirect_uris } = instance;
  const isRefused = !allowsUnlisted && redirect_uris.length === 0;
  const target = tryTarget(redirect_uris, addresses.front);
  return html`<section class="stack" data-testid="instance-${subdomain}">
    <h2>${visible(name)}${!active && html` <span class="pill warn">not active</span>`}</h2>
    <dl>
      <dt>Address</dt>
      <dd><code>${addresses.instanceUrl(instance)}</code></dd>
      <dt>From programs</dt>
      <dd>
        <code data-testid="program-url-${subdomain}">${addresses.front}</code>
        <small>with its secret key; a sign-in takes <code>instance=${subdomain}</code></small>
      </dd>
      <dt>Publishable key</dt>
      <dd><code>${publishable_key}</code></dd>
      ${
        redirect_uris.length > 0 &&
        html`<dt>Redirect URIs</dt>
          <dd><code>${redirect_uris.join(", ")}</code></dd>`
      }
    </dl>
    ${isRefused && html`<p>It refuses every sign-in, because it has no redirect_uris. List its addresses.</p>`}
    ${active && !isRefused && target !== undefined && tryButtons(instance, providers, addresses.front, target)}
  </section>`;
}

function tryButtons(
  { name, subdomain, redirect_uris }: InstanceRecord,
  providers: readonly Provider[],
  front: string,
  target: string,
): Html {
  const links = providers.map((provider) => {
    const query = new URLSearchParams({ instance: subdomain, provider, redirect_uri: target });
    return html`<a class="button logo" href="${front}/oauth/authorize?${query.toString()}" aria-label="Sign in to ${name} with ${PROVIDER_TITLES[provider]}" data-testid="try-${subdomain}-${provider}">${logo(provider)} ${PROVIDER_TITLES[provider]}</a>`;
  });
  return html`<div class="buttons"><p>Sign in with</p> ${links}</div>
    ${redirect_uris.length > 0 && html`<p>The browser then goes to your application, <code>${target}</code>. Start it first.</p>`}`;
}
