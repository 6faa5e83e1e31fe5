import type { PersonaRecord } from "../store/records.ts";
import type { AuthorizationServer, Parameters } from "./authorize-request.ts";
import type { AuthorizationRequest } from "./grants.ts";
import type { ShownAccount } from "./provider.ts";

const PAGE_SIZE = 10;

type Shown = "provider" | "application" | "outcome" | "profile" | "client_id" | "scopes";

export interface PickerView extends Pick<AuthorizationRequest, Shown> {
  /** The sealed request that the choice answers; nothing else of it is on the page. */
  readonly request: string;
  readonly accounts: readonly {
    readonly persona: PersonaRecord;
    readonly account: ShownAccount;
    /** The name of its generated picture. */
    readonly picture: string;
  }[];
  /** For `before` in the address of the previous page, and `after` in that of the next; undefined if there is none. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
  readonly known: number;
  readonly search: string;
  /** What is wrong with the address that was typed in. */
  readonly problem?: string | undefined;
  /** An account was chosen too soon after the page was shown for an intended click. */
  readonly isTooSoon?: boolean;
  /** What is wrong with the changes that were typed in. */
  readonly refusedEdit?: { readonly typed: string; readonly left: string; readonly why: string };
}

/** The picker's first page for a new or changed request. */
export function newPicker(server: AuthorizationServer, request: AuthorizationRequest, search = ""): PickerView {
  return pickerView(
    server,
    new Map(Object.entries({ request: server.grants.keepPending(request), q: search })),
    request,
  );
}

/** A page of a pending request's picker. @param query names the page */
export function pickerView(
  { name, provider, personas }: AuthorizationServer,
  query: Parameters,
  { application, outcome, profile, client_id, scopes }: AuthorizationRequest,
): PickerView {
  const search = query.get("q") ?? "";
  const wanted = { search, after: rowOf(query.get("after")), before: rowOf(query.get("before")), limit: PAGE_SIZE };
  const { items, previous, next } = personas.page(wanted, (persona) => {
    const account = persona.accounts[name];
    return account && { persona, account: provider.shown(account, persona), picture: personas.pictureName(persona) };
  });
  return {
    provider: name,
    request: query.get("request") ?? "",
    application,
    accounts: items,
    previous,
    next,
    known: personas.size,
    search,
    outcome,
    profile,
    client_id,
    scopes,
  };
}

function rowOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
