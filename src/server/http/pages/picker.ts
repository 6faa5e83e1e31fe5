import { PROVIDER_TITLES, type Provider } from "../../../wire/names.ts";
import { OUTCOMES } from "../../../wire/outcomes.ts";
import { visible } from "../../../wire/visible.ts";
import { isPossible } from "../../simulator/outcomes.ts";
import type { Account, PickerView } from "../../simulator/provider.ts";
import type { PersonaRecord } from "../../store/records.ts";
import { escapeHtml, Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import { logo } from "./logos.ts";
import { PICKER_SCRIPT } from "./scripts.ts";

/**
 * A simulated provider's authorize page. Links and forms do all; a script only saves steps. Its own words are ASCII, and
 * so is most of what it shows: a text with one other character in it takes twice the room, and longer to send.
 */
export function pickerPage(view: PickerView): string {
  const { provider, request, search, problem } = view;
  const title = PROVIDER_TITLES[provider];
  return layout(
    `Sign in with ${title}`,
    html`<div class="bar"><span class="mark logo">${logo(provider)}</span><span class="pill">simulated</span></div>
      ${heading(view)}
      ${problem && html`<p class="notice" role="alert" data-testid="problem">${problem}</p>`} ${chosenOutcome(view)}
      <form method="get" role="search">
        <input type="hidden" name="request" value="${request}" />
        <input type="search" name="q" value="${search}" placeholder="Search ${view.known.toLocaleString("en")} accounts" aria-label="Search accounts" autocomplete="off" data-testid="search" />
      </form>
      <div id="found">${accountList(view, mayFocus(view))}</div>
      <p id="count" class="hidden" role="status"></p>
      ${otherAccount(view)} ${otherOutcomes(view)}
      <footer>
        <a class="button" href="?request=${request}&amp;cancel=1" data-testid="cancel">Cancel</a>
        <span title="What the application asks for">${view.client_id} &middot; ${view.scopes.join(" ")}</span>
      </footer>`,
    { script: PICKER_SCRIPT },
  );
}

/**
 * The part of the picker that changes while the user types.
 * @param firstHasFocus so that Enter signs in
 */
export function accountList(view: PickerView, firstHasFocus = false): Html {
  const { provider, request, accounts, search } = view;
  if (accounts.length === 0)
    return html`<p data-testid="no-match">
      ${search === "" ? `No accounts at ${PROVIDER_TITLES[provider]}. Use another account.` : `No account matches “${search}”.`}
    </p>`;
  return html`<ul class="list" data-testid="accounts" aria-label="Accounts">
      ${accounts.map(({ persona, account }, i) => accountRow(request, persona, account, firstHasFocus && i === 0))}
    </ul>
    ${pager(view)}`;
}

/** Where a click is wanted, a key that is held down while the page appears must not choose an account. */
function mayFocus({ application }: PickerView): boolean {
  return !application?.needsClick;
}

function heading({ provider, application }: PickerView): Html {
  const title = PROVIDER_TITLES[provider];
  if (!application)
    return html`<header>
      <h1>Sign in with ${title}</h1>
      <p>Choose an account to continue.</p>
    </header>`;
  const { name, origin, needsClick } = application;
  if (!needsClick)
    return html`<header>
      <h1>Sign in with ${title}</h1>
      <p>
        to continue to <b data-testid="application">${visible(name)}</b> at <bdi data-testid="destination">${origin}</bdi>
      </p>
    </header>`;
  return html`<header class="warning">
    <h1>Send a token to another site?</h1>
    <span class="host" data-testid="destination">${breakable(origin)}</span>
    <p>
      If you choose an account, this site can act as that user of
      <b data-testid="application">${visible(name)}</b>. Cancel if you did not start this sign-in.
    </p>
  </header>`;
}

/** A host that breaks between its labels where it does not fit. */
function breakable(origin: string): Html[] {
  return origin.split(/(?=[.:/])/).map((part) => html`${part}<wbr />`);
}

function accountRow(request: string, { id }: PersonaRecord, { name, detail, note }: Account, hasFocus: boolean): Html {
  return html`<li>
    <a class="row" href="?request=${request}&amp;login_hint=${encodeURIComponent(id)}" data-testid="account-${id}"${hasFocus && html` autofocus`}>
      <img class="avatar" src="../avatars/${id}.svg" alt="" width="40" height="40" />
      <span><b>${visible(name)}</b><small>${visible(detail)}</small>${note && html`<small class="warn">${note}</small>`}</span>
    </a>
  </li>`;
}

function pager({ request, search, previous, next }: PickerView): Html | false {
  if (previous === undefined && next === undefined) return false;
  const address = (name: string, row: number): string =>
    `authorize?${new URLSearchParams({ request, ...(search && { q: search }), [name]: String(row) }).toString()}`;
  return html`<nav class="pager" aria-label="More accounts">
    ${previous !== undefined && html`<a class="button" rel="prev" href="${address("before", previous)}" data-testid="previous">← Previous</a>`}
    ${next !== undefined && html`<a class="button next" rel="next" href="${address("after", next)}" data-testid="next">Next →</a>`}
  </nav>`;
}

/** What is to come of the sign-in, where that was chosen. */
function chosenOutcome({ request, outcome }: PickerView): Html | false {
  const chosen = OUTCOMES.find(({ id }) => id === outcome);
  if (!chosen || chosen.id === "success") return false;
  return html`<p class="notice" role="status" data-testid="chosen-outcome">
    ${chosen.title}. Choose the account.
    <a href="?request=${request}&amp;outcome=success" data-testid="outcome-success">Sign in normally</a>
  </p>`;
}

/** Ways in which the sign-in can fail: each a link, which needs no script. */
function otherOutcomes({ request, provider }: PickerView): Html {
  let template = OUTCOME_TEMPLATES.get(provider);
  if (template === undefined) OUTCOME_TEMPLATES.set(provider, (template = outcomeTemplate(provider)));
  return new Html(template.join(escapeHtml(request)));
}

/** By provider: what stands between the names of the request, the same on every page. */
const OUTCOME_TEMPLATES = new Map<Provider, readonly string[]>();

function outcomeTemplate(provider: Provider): string[] {
  const possible = OUTCOMES.filter(({ id }) => id !== "success" && isPossible(id, provider));
  const { text } = html`<details>
    <summary data-testid="outcomes">Something goes wrong&hellip;</summary>
    <ul class="list">
      ${possible.map(
        ({ id, title, application_sees }) =>
          html`<li>
            <a class="row" href="?request=${"\0"}&amp;outcome=${id}" data-testid="outcome-${id}">
              <span><b>${title}</b><small>${application_sees}</small></span>
            </a>
          </li>`,
      )}
    </ul>
  </details>`;
  return text.split("\0");
}

function otherAccount({ request, problem }: PickerView): Html {
  return html`<details${problem && html` open`}>
    <summary data-testid="other-account">Use another account</summary>
    <form method="get">
      <input type="hidden" name="request" value="${request}" />
      <label>E-mail <input type="email" name="email" required placeholder="mary@example.test" autocomplete="off" data-testid="other-email" /></label>
      <label>Name <input name="name" maxlength="256" placeholder="Mary Shelley" autocomplete="off" data-testid="other-name" /></label>
      <label class="check"><input type="checkbox" name="unverified" value="1" data-testid="other-unverified" /> The provider has not verified this address</label>
      <button class="primary" data-testid="other-continue">Continue</button>
    </form>
  </details>`;
}
