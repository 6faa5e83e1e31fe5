import type { AccountChoices } from "../../../wire/outcomes.ts";
import { PROVIDER_TITLES } from "../../../wire/providers.ts";
import type { PickerView } from "../../simulator/picker.ts";

/** The account picker as a program can use it. @param front the front door's origin @param hint the `login_hint` it sent */
export function accountChoices(view: PickerView, front: string, hint: string | undefined): AccountChoices {
  const { provider, request, accounts, search, next } = view;
  const to = (parameters: Readonly<Record<string, string>>): string =>
    `${front}/__svc/simulator/${provider}/authorize?${new URLSearchParams({ request, ...parameters }).toString()}`;
  return {
    message: `${whyNot(view, hint)} Follow the url of an account, or begin again with login_hint=<id or e-mail address>.`,
    provider,
    url: to({}),
    accounts: accounts.map(({ persona: { id, email }, account: { name } }) => ({
      id,
      name,
      email,
      url: to({ login_hint: id }),
    })),
    next_url: next === undefined ? null : to({ ...(search && { q: search }), after: String(next) }),
    cancel_url: to({ cancel: "1" }),
  };
}

/** The page with a first line for a program, which shows it as text. */
export function withAdvice(page: string, view: PickerView, hint: string | undefined): string {
  const [first] = view.accounts;
  // Encoded, it can't end the comment.
  const example = encodeURIComponent(first?.persona.email ?? "ada@acme.test");
  return `<!-- ${whyNot(view, hint)} Add &login_hint=${example} to the address where you began, or send Accept: application/json to get the accounts. -->\n${page}`;
}

function whyNot({ provider, problem }: PickerView, hint: string | undefined): string {
  if (problem !== undefined || hint === undefined) return "No account was chosen.";
  return `The simulated ${PROVIDER_TITLES[provider]} has no account for this login_hint.`;
}
