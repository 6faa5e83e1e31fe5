import { OUTCOMES, type AccountChoices } from "../../../wire/outcomes.ts";
import { PROVIDERS, PROVIDERS_WITHOUT_EMAIL, PROVIDER_TITLES, type Provider } from "../../../wire/providers.ts";
import { normalizeEmail } from "../../../text/email.ts";
import { visible } from "../../../text/harmless.ts";
import { impossibility } from "../../simulator/outcomes.ts";
import type { PickerView } from "../../simulator/picker.ts";
import { html, layout, logo, type Html } from "./layout.ts";
import { PICKER_SCRIPT } from "./scripts.ts";

/**
 * A simulated provider's authorize page. It works without its script. The sealed request is long, so all buttons that answer
 * it share one form. The page's own text is ASCII: a string with any other character takes twice the memory, and longer to
 * send.
 */
export function pickerPage(view: PickerView): string {
  const { asked, request, search, problem } = view;
  const { provider, client_id, scopes } = asked;
  const { bar, otherFields, outcomes, applicationOutcomes } = PARTS.get(provider)!;
  const title = PROVIDER_TITLES[provider];
  const hiddenRequest = html`<input type="hidden" name="request" value="${request}" />`;
  return layout(
    `Sign in with ${title}`,
    html`${bar} ${heading(view)}
      ${problem && html`<p class="notice" role="alert" data-testid="problem">${problem}</p>`} ${chosenOutcome(view)}
      <form method="get" id="choice">${hiddenRequest}</form>
      <form method="get" role="search">
        ${hiddenRequest}
        <input type="search" name="q" value="${search}" placeholder="Search ${view.known.toLocaleString("en")} accounts" aria-label="Search accounts" autocomplete="off" data-testid="search" />
      </form>
      <div id="found">${accountList(view)}</div>
      <details${problem && html` open`}>
        <summary data-testid="other-account">Use another account</summary>
        <form method="get">${hiddenRequest} ${otherFields}</form>
      </details>
      ${asked.instance_id === undefined ? outcomes : applicationOutcomes}
      <footer>
        <button form="choice" name="cancel" value="1" data-testid="cancel">Cancel</button>
        <span title="What the application asks for">${client_id} &middot; ${scopes.join(" ")}</span>
      </footer>`,
    { script: PICKER_SCRIPT },
  );
}

/** Enter signs in with the first account. */
function accountList(view: PickerView): Html {
  const { accounts, search } = view;
  if (accounts.length === 0)
    return html`<div class="none">
      <p data-testid="no-match">
        ${search === "" ? `No accounts at ${PROVIDER_TITLES[view.asked.provider]}. Use another account.` : `No account matches “${search}”.`}
      </p>
      ${normalizeEmail(search) !== undefined && html`<button form="choice" name="email" value="${search}" data-testid="use-search">Use ${search}</button>`}
    </div>`;
  return html`<ul class="list" data-testid="accounts" aria-label="Accounts">
      ${accounts.map((row, i) => accountRow(row, i === 0))}
    </ul>
    ${pager(view)}`;
}

function heading({ asked: { provider }, application }: PickerView): Html {
  const title = PROVIDER_TITLES[provider];
  if (!application)
    return html`<header>
      <h1>Sign in with ${title}</h1>
      <p>Choose an account to continue.</p>
    </header>`;
  const { name, origin } = application;
  return html`<header>
    <h1>Sign in with ${title}</h1>
    <p>
      to continue to <b data-testid="application">${visible(name)}</b> at <bdi data-testid="destination">${origin}</bdi>
    </p>
  </header>`;
}

type Row = PickerView["accounts"][number];

function accountRow({ persona: { id }, account: { name, detail, note }, picture }: Row, hasFocus: boolean): Html {
  return html`<li>
    <button class="row" form="choice" name="login_hint" value="${id}" data-testid="account-${id}"${hasFocus && html` autofocus`}>
      <img class="avatar" src="../avatars/${picture}.svg" alt="" width="40" height="40" />
      <span><b>${visible(name)}</b><small>${visible(detail)}</small>${note && html`<small class="warn">${note}</small>`}</span>
    </button>
  </li>`;
}

function pager({ request, search, previous, next }: PickerView): Html | false {
  if (previous === undefined && next === undefined) return false;
  const address = (from: number): string =>
    `authorize?${new URLSearchParams({ request, ...(search && { q: search }), from: String(from) }).toString()}`;
  return html`<nav class="pager" aria-label="More accounts">
    ${previous !== undefined && html`<a class="button" rel="prev" href="${address(previous)}" data-testid="previous">← Previous</a>`}
    ${next !== undefined && html`<a class="button next" rel="next" href="${address(next)}" data-testid="next">Next →</a>`}
  </nav>`;
}

function chosenOutcome({ request, asked }: PickerView): Html | false {
  const chosen = OUTCOMES.find(({ id }) => id === asked.outcome);
  if (!chosen || chosen.id === "success") return false;
  return html`<p class="chosen" role="status" data-testid="chosen-outcome">
    <span>This sign-in will end as you chose: <b>${chosen.title}</b>. Now choose the account.</span>
    <a href="?request=${request}&amp;outcome=success" data-testid="outcome-success">Sign in normally</a>
  </p>`;
}

/** The parts of a provider's page that no request changes. */
function partsOf(provider: Provider) {
  return {
    bar: html`<div class="bar"><span class="mark logo">${logo(provider)}</span><span class="pill">simulated</span></div>`,
    otherFields: html`<label>E-mail <input type="email" name="email" required placeholder="mary@example.test" autocomplete="off" data-testid="other-email" /></label>
      <label>Name <input name="name" maxlength="256" placeholder="Mary Shelley" autocomplete="off" data-testid="other-name" /></label>
      ${PROVIDERS_WITHOUT_EMAIL.includes(provider) && html`<p>${PROVIDER_TITLES[provider]} does not send the address. The user gets a placeholder.</p>`}
      <button class="primary" data-testid="other-continue">Continue</button>`,
    outcomes: outcomesAt(provider, false),
    applicationOutcomes: outcomesAt(provider, true),
  };
}

/** Under each outcome, what the application's callback gets from this service. An application's own client sees what happens. */
function outcomesAt(provider: Provider, isApplication: boolean): Html {
  const possible = OUTCOMES.filter(
    ({ id }) => id !== "success" && impossibility(id, provider, isApplication) === undefined,
  );
  return html`<details>
      <summary data-testid="outcomes">Something goes wrong&hellip;</summary>
      <ul class="list">
        ${possible.map(
          ({ id, title, description, application_sees }) =>
            html`<li>
              <button class="row" form="choice" name="outcome" value="${id}" data-testid="outcome-${id}">
                <span><b>${title}</b><small>${isApplication ? description : application_sees}</small></span>
              </button>
            </li>`,
        )}
      </ul>
    </details>`;
}

const PARTS = new Map(PROVIDERS.map((provider) => [provider, partsOf(provider)]));

/** The account picker as a program can use it. @param front the front door's origin @param hint the `login_hint` it sent */
export function accountChoices(view: PickerView, front: string, hint: string | undefined): AccountChoices {
  const { request, accounts, search, next, problem } = view;
  const { provider } = view.asked;
  const to = (parameters: Readonly<Record<string, string>>): string =>
    `${front}/__svc/simulator/${provider}/authorize?${new URLSearchParams({ request, ...parameters }).toString()}`;
  const why =
    problem !== undefined || hint === undefined
      ? "No account was chosen."
      : `The simulated ${PROVIDER_TITLES[provider]} has no account for this login_hint.`;
  return {
    message: `${why} Follow the url of an account, or begin again with login_hint=<id or e-mail address>.`,
    provider,
    url: to({}),
    accounts: accounts.map(({ persona: { id, email }, account: { name } }) => ({
      id,
      name,
      email,
      url: to({ login_hint: id }),
    })),
    next_url: next === undefined ? null : to({ ...(search && { q: search }), from: String(next) }),
    cancel_url: to({ cancel: "1" }),
  };
}
