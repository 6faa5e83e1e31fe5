import { html, type Html, documentOf } from "../../http/pages/layout.ts";
import type { Content, openApi, Operation } from "./openapi.ts";
import { shapeOf, wordsOn } from "./shape.ts";

interface Route extends Operation {
  readonly method: string;
  readonly path: string;
}

const KEYS: Readonly<Record<string, string>> = {
  secret: "X-Service-Secret-Key",
  publishable: "X-Service-Publishable-Key",
  control: "Authorization: Bearer ctl_…",
};

/** The OpenAPI document as a page. Its script only searches and copies: without it everything can be read. */
export function referencePage({ paths, info, servers }: ReturnType<typeof openApi>): string {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const ofProduct = routes.filter(({ tags: [api] }) => api === "product");
  const ofControl = routes.filter(({ tags: [api] }) => api === "control");
  const files = { style: { path: "/__svc/docs.css" }, script: { path: "/__svc/docs.js" } };
  const body = html`<a class="skip" href="#content">Skip to the reference</a>
        <aside>
          <div class="brand"><span aria-hidden="true">s</span><a href="/">svc</a> <small>${info.version}</small></div>
          <input type="search" id="search" hidden placeholder="Search routes, press /" aria-label="Search routes" data-testid="search" />
          <p id="found" role="status"></p>
          <nav aria-label="Routes">${navigation("Product API", ofProduct)}${navigation("Control API", ofControl)}</nav>
        </aside>
        <main id="content">
          <header>
            <h1>API reference</h1>
            <p>
              Every route of the product API and of the control API, as this server answers it. The same as an
              <a href="/__svc/openapi.json">OpenAPI 3.1 document</a>, for generators and other tools. The commands are for a
              shell in the server's directory, after this line sets the keys:
            </p>
            ${code("Shell", "shell", 'eval "$(npx svc-identity env)"')}
          </header>
          <section aria-labelledby="product">
            <h2 id="product">Product API</h2>
            <p>
              What an application calls. The secret key of an instance goes into <code>X-Service-Secret-Key</code>; keep it on
              your server. The TypeScript lines use this client:
            </p>
            ${code("TypeScript", "product client", PRODUCT_CLIENT)} ${ofProduct.map(article)}
          </section>
          <section aria-labelledby="control">
            <h2 id="control">Control API</h2>
            <p>
              What tests and tools call, on a development server. It takes <code>Authorization: Bearer ctl_…</code>, with the
              <code>control_key</code> in <code>.svc/server.json</code>. The TypeScript lines use this client:
            </p>
            ${code("TypeScript", "control client", controlClient(servers[0].url))} ${ofControl.map(article)}
          </section>
        </main>`;
  return documentOf("API reference · svc", files, body);
}

const PRODUCT_CLIENT = `import { createClient } from "svc-identity";

const svc = createClient(); // SVC_BASE_URL, SVC_SECRET_KEY and SVC_PUBLISHABLE_KEY of the environment`;

function controlClient(url: string): string {
  return `import { connect } from "svc-identity/testing";

const svc = await connect({ url: ${JSON.stringify(url)}, controlKey: process.env.SVC_CONTROL_KEY ?? "" });`;
}

function navigation(title: string, routes: readonly Route[]): Html {
  const nouns = [...new Set(routes.map(nounOf))];
  return html`<h2>${title}</h2>
    ${nouns.map(
      (noun) =>
        html`<h3>${noun}</h3>
          <ul>
            ${routes
              .filter((route) => nounOf(route) === noun)
              .map(
                ({ operationId, method, path }) =>
                  html`<li><a href="#${operationId}">${badge(method)}<span>${shortPath(path)}</span></a></li>`,
              )}
          </ul>`,
    )}`;
}

/** `users` of `/api/v1/users/{id}`. */
function nounOf({ path }: Route): string {
  const [, noun = ""] = shortPath(path).split("/");
  return noun === "oauth" || noun === ".well-known" ? "sign-in" : noun;
}

function shortPath(path: string): string {
  return path.replace(/^\/(?:__svc|api)\/v1/, "");
}

function badge(method: string): Html {
  return html`<b class="method ${method.toLowerCase()}">${method}</b>`;
}

function article(route: Route): Html {
  const { operationId, method, path, summary, parameters, requestBody, responses } = route;
  const good = Object.entries(responses).filter(([status]) => status < "400");
  const bad = Object.entries(responses).filter(([status]) => status >= "400");
  return html`<article id="${operationId}" data-testid="${method} ${path}">
    <h3>
      ${badge(method)} <code>${path}</code>
      <a class="anchor" href="#${operationId}" aria-label="Link to ${method} ${path}">#</a>
    </h3>
    <div class="columns">
      <div>
        <p class="does">${summary}</p>
        ${keys(route)} ${parameters.length > 0 && parametersTable(parameters)}
        ${requestBody && shape(requestBody.required ? "Body" : "Body, may be omitted", requestBody.content)}
        ${good.map(([status, { description, content }]) =>
          content ? shape(`Answer ${status}`, content) : html`<h4>Answer ${status}</h4><p>${description}</p>`,
        )}
        <details>
          <summary>Errors <span>${bad.map(([status]) => status).join(", ")}</span></summary>
          <dl>
            ${bad.map(([status, { description }]) => html`<dt>${status}</dt><dd>${description}</dd>`)}
          </dl>
        </details>
      </div>
      <div class="samples">
        ${route["x-codeSamples"].map(({ label, source }) => code(label, `${label} of ${method} ${path}`, source))}
      </div>
    </div>
  </article>`;
}

function keys({ security }: Route): Html {
  const headers = security
    .flatMap((scheme) => Object.keys(scheme))
    .map((name) => html`<code>${KEYS[name] ?? name}</code>`);
  if (headers.length === 0) return html`<p>Needs no key.</p>`;
  return html`<p>Key: ${headers.map((header, i) => html`${i > 0 && " or "}${header}`)}</p>`;
}

function parametersTable(parameters: Route["parameters"]): Html {
  return html`<h4>Parameters</h4>
    <dl class="fields">
      ${parameters.map(
        ({ name, in: place, required, description, schema }) =>
          html`<dt><code>${name}</code> <small>${place}${required && ", required"}</small></dt>
            <dd><code class="type">${shapeOf(schema)}</code> ${wordsOn({ ...schema, ...(description !== undefined && { description }) })}</dd>`,
      )}
    </dl>`;
}

function shape(title: string, content: Content): Html {
  const text = shapeOf(content["application/json"]?.schema ?? {});
  return html`<h4>${title}</h4>
    <pre tabindex="0" aria-label="${title}"><code>${coloured(text)}</code></pre>`;
}

/** Comments and texts of a shape in colors of their own. */
function coloured(text: string): Html[] {
  return text.split(/( {2}\/\/ .*|"[^"\n]*")/).map((part) => {
    if (part.startsWith("  //")) return html`<i>${part}</i>`;
    return part.startsWith('"') ? html`<q>${part}</q>` : html`${part}`;
  });
}

function code(label: string, name: string, source: string): Html {
  return html`<figure>
    <figcaption>
      ${label}<button type="button" hidden data-copy aria-label="Copy ${name}">Copy</button>
    </figcaption>
    <pre tabindex="0" aria-label="${name}"><code>${source}</code></pre>
  </figure>`;
}
