import { html, type Html } from "../../http/pages/html.ts";
import { layout } from "../../http/pages/layout.ts";

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters: readonly { name: string; in: string; required: boolean; description?: string; schema: object }[];
  readonly requestBody?: { readonly content: Record<string, { schema: object }> };
  readonly responses: Readonly<Record<string, { description: string; content?: Record<string, { schema: object }> }>>;
}

/** The OpenAPI document as a page, without scripts or external assets. */
export function referencePage(document: Record<string, unknown>): string {
  const { paths, info } = document as {
    paths: Record<string, Record<string, Operation>>;
    info: { version: string };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const of = (tag: string): Html[] =>
    operations.filter(({ operation }) => operation.tags.includes(tag)).map(operationSection);
  return layout(
    "svc reference",
    html`<div class="bar">
        <span class="mark" aria-hidden="true">s</span><span class="pill">version ${info.version}</span>
      </div>
      <header>
        <h1>API reference</h1>
        <p>
          Also as an <a href="/__svc/openapi.json">OpenAPI 3.1 document</a>, for generators and other tools. The product API
          takes <code>X-Service-Secret-Key: sk_…</code>, the secret key of an instance. The control API takes
          <code>Authorization: Bearer ctl_…</code>, with the <code>control_key</code> in <code>.svc/server.json</code>.
        </p>
      </header>
      <section>
        <h2 id="product">Product API</h2>
        ${of("product")}
      </section>
      <section>
        <h2 id="control">Control API</h2>
        ${of("control")}
      </section>
      <footer><span>svc · identity proxy</span><a href="/">Front door</a></footer>`,
    { isWide: true },
  );
}

function operationSection({ method, path, operation }: { method: string; path: string; operation: Operation }): Html {
  const { summary, parameters, requestBody, responses, security } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  const keys = security.flatMap((scheme) => Object.keys(scheme));
  return html`<details data-testid="${method} ${path}">
    <summary>
      <code>${method} ${path}</code> <small>${summary}</small>
    </summary>
    <div class="stack">
      ${keys.length > 0 && html`<p>Takes the ${keys.join(" or the ")} key.</p>`}
      ${
        parameters.length > 0 &&
        html`<dl>
          ${parameters.map(
            ({ name, in: place, required, description, schema }) =>
              html`<dt>
                  <code>${name}</code>
                </dt>
                <dd>${[place, required && "required", description].filter(Boolean).join(", ")} <code>${typeText(schema)}</code></dd>`,
          )}
        </dl>`
      }
      ${body && html`<p>Body</p><pre><code>${JSON.stringify(body, null, 2)}</code></pre>`}
      <dl>
        ${Object.entries(responses).map(
          ([status, { description, content }]) =>
            html`<dt>
                <code>${status}</code>
              </dt>
              <dd>${description}${status.startsWith("2") && content && html` <code>${typeText(content["application/json"]?.schema ?? {})}</code>`}</dd>`,
        )}
      </dl>
    </div>
  </details>`;
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly const?: unknown;
}

/** A schema in a few words. */
function typeText(schema: JsonSchema): string {
  const { type, enum: values, anyOf, items, prefixItems, properties, const: value } = schema;
  if (value !== undefined) return JSON.stringify(value);
  if (values) return values.map((entry) => JSON.stringify(entry)).join(" | ");
  if (anyOf) return anyOf.map(typeText).join(" | ");
  if (prefixItems) return `[${prefixItems.map(typeText).join(", ")}]`;
  if (items) return isUnion(items) ? `(${typeText(items)})[]` : `${typeText(items)}[]`;
  if (properties)
    return `{ ${Object.entries(properties)
      .map(([name, own]) => `${name}: ${typeText(own)}`)
      .join(", ")} }`;
  return [type ?? "any"].flat().join(" | ");
}

function isUnion({ type, enum: values, anyOf }: JsonSchema): boolean {
  return [type, values, anyOf].some((list) => Array.isArray(list) && list.length > 1);
}
