import type { Provider } from "../../wire/providers.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { Edit } from "./edit.ts";
import type { Application } from "../providers/connections.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { Parameters } from "./authorize-request.ts";
import type { AuthorizationRequest } from "./grants.ts";
import type { ShownAccount } from "./provider.ts";

/** Accounts on one page of the picker. */
const PAGE_SIZE = 10;

/** What an account picker shows. */
export interface PickerView {
  readonly provider: Provider;
  /** The sealed request that the choice answers; nothing else of it is on the page. */
  readonly request: string;
  /** Undefined if this service did not send the request. */
  readonly application: Application | undefined;
  /** One page of them. */
  readonly accounts: readonly {
    readonly persona: PersonaRecord;
    readonly account: ShownAccount;
    /** The name of its generated picture. */
    readonly picture: string;
  }[];
  /** For `before` in the address of the previous page, and `after` in that of the next; undefined if there is none. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
  /** Number of personas. */
  readonly known: number;
  readonly search: string;
  /** What is wrong with the address that was typed in. */
  readonly problem: string | undefined;
  /** An account was chosen too soon after the page was shown for an intended click. */
  readonly isTooSoon: boolean;
  /** The outcome chosen for the sign-in. Undefined if none was chosen. */
  readonly outcome: OutcomeId | undefined;
  /** Changes to the profile that the provider sends, if some were chosen. */
  readonly profile: Edit | undefined;
  /** What is wrong with the changes that were typed in. */
  readonly refusedEdit?: { readonly typed: string; readonly left: string; readonly why: string } | undefined;
  readonly client_id: string;
  readonly scopes: readonly string[];
}

interface PickerRequest {
  /** The request, sealed. */
  readonly id: string;
  readonly request: AuthorizationRequest;
  readonly search: string;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly problem?: string | undefined;
}

/** The picker's first page for a new or changed request. */
export function newPicker(server: AuthorizationServer, request: AuthorizationRequest, search = ""): PickerView {
  return picker(server, { id: server.grants.keepPending(request), request, search });
}

/** A page of a pending request's picker. @param query names the page. @param problem with the account that was chosen */
export function pickerView(
  server: AuthorizationServer,
  query: Parameters,
  request: AuthorizationRequest,
  problem?: string,
): PickerView {
  const [id = "", search = ""] = [query.get("request"), query.get("q")];
  const page = { after: rowOf(query.get("after")), before: rowOf(query.get("before")) };
  return picker(server, { id, request, search, problem, ...page });
}

function picker(
  { name, provider, personas }: AuthorizationServer,
  { id, request, search, after, before, problem }: PickerRequest,
): PickerView {
  const { items, previous, next } = personas.page({ search, after, before, limit: PAGE_SIZE }, (persona) => {
    const account = persona.accounts[name];
    return account && { persona, account: provider.shown(account, persona), picture: personas.pictureName(persona) };
  });
  return {
    provider: name,
    request: id,
    application: request.application,
    accounts: items,
    previous,
    next,
    known: personas.size,
    search,
    problem,
    isTooSoon: false,
    outcome: request.outcome,
    profile: request.profile,
    client_id: request.client_id,
    scopes: request.scopes,
  };
}

function rowOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
