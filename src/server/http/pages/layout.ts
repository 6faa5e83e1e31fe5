import type { Provider } from "../../../wire/providers.ts";
import { SIMULATED } from "../../simulator/providers.ts";
import { STYLE, type PageFile } from "./style.ts";

interface LayoutOptions {
  readonly isWide?: boolean;
  readonly script?: PageFile;
}

/** A complete page. It loads nothing from other hosts, so it looks the same offline. */
export function layout(title: string, content: Html, { isWide = false, script }: LayoutOptions = {}): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        <link rel="stylesheet" href="${STYLE.path}" />
        ${script && html`<script src="${script.path}" defer></script>`}
      </head>
      <body>
        <main class="${isWide && "wide"}">${content}</main>
      </body>
    </html> `.text;
}

/** A provider's logo; its name is beside it. */
export function logo(provider: Provider): Html {
  return new Html(`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${SIMULATED[provider].mark}</svg>`);
}

/** Text that is already HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | false | null | undefined | readonly Value[];

/** HTML from a template. Values are escaped unless they are `Html`; lists are joined; false, null and undefined are omitted. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0]!;
  for (let i = 0; i < values.length; i++) text += toText(values[i]) + strings[i + 1]!;
  return new Html(text);
}

function toText(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(toText).join("");
  return typeof value === "string" || typeof value === "number" ? escapeHtml(String(value)) : "";
}

/** Text as it may stand in an element, or in an attribute between quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
