import type { PersonaRecord } from "../../store/records.ts";
import type { Account, PickerView } from "../../simulator/provider.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";

/** A simulated provider's authorize page. It needs no script: links and forms do all. */
export function pickerPage(view: PickerView): string {
  const { title, mark, request, application, accounts, search, problem } = view;
  return layout(
    `Sign in with ${title}`,
    html`<div class="bar"><span class="mark" style="--brand:${mark.color}" aria-hidden="true">${mark.text}</span><span class="pill">simulated</span></div>
${heading(view)}
${problem && html`<p class="notice" role="alert" data-testid="problem">${problem}</p>`}
<form method="get" role="search">
<input type="hidden" name="request" value="${request}">
<input type="search" name="q" value="${search}" placeholder="Search accounts" aria-label="Search accounts" autocomplete="off" data-testid="search">
</form>
<ul class="list" data-testid="accounts">${accounts.map(({ persona, account }, i) => accountRow(request, persona, account, i === 0 && !application?.needsClick))}</ul>
${pager(view)}
${accounts.length === 0 && html`<p data-testid="no-match">No account matches “${search}”.</p>`}
<details${problem && html` open`}><summary data-testid="other-account">Use another account</summary>
<form method="get">
<input type="hidden" name="request" value="${request}">
<label>E-mail <input type="email" name="email" required placeholder="mary@example.test" autocomplete="off" data-testid="other-email"></label>
<label>Name <input name="name" maxlength="256" placeholder="Mary Shelley" autocomplete="off" data-testid="other-name"></label>
<label class="check"><input type="checkbox" name="unverified" value="1" data-testid="other-unverified"> The address is not verified</label>
<button class="primary" data-testid="other-continue">Continue</button>
</form></details>
<footer><a class="button" href="?request=${request}&amp;cancel=1" data-testid="cancel">Cancel</a>
<span title="What the application asks for">${view.client_id} · ${view.scopes.join(" ")}</span></footer>`,
  );
}

function heading({ title, application }: PickerView): Html {
  if (!application) return html`<header><h1>Sign in with ${title}</h1><p>Choose an account to continue.</p></header>`;
  const { name, origin, needsClick } = application;
  if (!needsClick)
    return html`<header><h1>Sign in with ${title}</h1><p>to continue to <b data-testid="application">${name}</b> at <span data-testid="destination">${origin}</span></p></header>`;
  return html`<header><h1>Send a token to <span data-testid="destination">${origin}</span>?</h1>
<p role="alert">Choosing an account signs in to <b data-testid="application">${name}</b> and gives the token to that address. If you did not ask for that, cancel.</p></header>`;
}

function pager({ request, search, previous, next }: PickerView): Html | false {
  if (previous === undefined && next === undefined) return false;
  const address = (name: string, row: number): string =>
    `?${new URLSearchParams({ request, ...(search && { q: search }), [name]: String(row) }).toString()}`;
  return html`<nav class="pager" aria-label="Pages of accounts">
${previous !== undefined && html`<a class="button" rel="prev" href="${address("before", previous)}" data-testid="previous">Previous</a>`}
${next !== undefined && html`<a class="button" rel="next" href="${address("after", next)}" data-testid="next">Next</a>`}
</nav>`;
}

function accountRow(request: string, persona: PersonaRecord, { name, detail, note }: Account, isFirst: boolean): Html {
  return html`<li><a class="row" href="?request=${request}&amp;login_hint=${encodeURIComponent(persona.id)}" data-testid="account-${persona.id}"${isFirst && html` autofocus`}>
<img class="avatar" src="${persona.avatar_url}" alt="" width="40" height="40">
<span><b>${name}</b><small>${detail}</small>${note && html`<small class="warn">${note}</small>`}</span>
</a></li>`;
}
