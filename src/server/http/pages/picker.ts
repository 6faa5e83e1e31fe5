import type { Provider } from "../../../wire/names.ts";
import type { PersonaRecord } from "../../store/records.ts";
import type { Account, PickerView } from "../../simulator/provider.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";

const MARKS: Readonly<Record<Provider, { text: string; color: string }>> = {
  google: { text: "G", color: "#1a73e8" },
  github: { text: "GH", color: "#3d444d" },
  twitter: { text: "T", color: "#536471" },
};

/** A simulated provider's authorize page. It needs no script: links and forms do all. */
export function pickerPage(view: PickerView): string {
  const { provider, title, request, accounts, search, problem } = view;
  return layout(
    `Sign in with ${title}`,
    html`<div class="bar"><span class="mark" style="--brand:${MARKS[provider].color}" aria-hidden="true">${MARKS[provider].text}</span><span class="pill">simulated</span></div>
<header><h1>Sign in with ${title}</h1><p>Choose an account to continue.</p></header>
${problem && html`<p class="notice" role="alert" data-testid="problem">${problem}</p>`}
<form method="get" role="search">
<input type="hidden" name="request" value="${request}">
<input type="search" name="q" value="${search}" placeholder="Search accounts" aria-label="Search accounts" autocomplete="off" data-testid="search">
</form>
<ul class="list" data-testid="accounts">${accounts.map(({ persona, account }, i) => accountRow(request, persona, account, i === 0))}</ul>
${accounts.length === 0 && html`<p data-testid="no-match">No account matches “${search}”.</p>`}
<details${problem && html` open`}><summary data-testid="other-account">Use another account</summary>
<form method="get">
<input type="hidden" name="request" value="${request}">
<label>E-mail <input type="email" name="email" required placeholder="mary@example.test" autocomplete="off" data-testid="other-email"></label>
<label>Name <input name="name" maxlength="256" placeholder="Mary Shelley" autocomplete="off" data-testid="other-name"></label>
<button class="primary" data-testid="other-continue">Continue</button>
</form></details>
<footer><a class="button" href="?request=${request}&amp;cancel=1" data-testid="cancel">Cancel</a>
<span title="What the application asks for">${view.client_id} · ${view.scopes.join(" ")}</span></footer>`,
  );
}

function accountRow(request: string, persona: PersonaRecord, { name, detail, note }: Account, isFirst: boolean): Html {
  return html`<li><a class="row" href="?request=${request}&amp;login_hint=${encodeURIComponent(persona.id)}" data-testid="account-${persona.id}"${isFirst && html` autofocus`}>
<img class="avatar" src="${persona.avatar_url}" alt="" width="40" height="40">
<span><b>${name}</b><small>${detail}</small>${note && html`<small class="warn">${note}</small>`}</span>
</a></li>`;
}
