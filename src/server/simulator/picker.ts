import type { WayBack } from "../errors.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { ShownAccount } from "./provider.ts";
import type { AuthorizationServer } from "./endpoints.ts";

export type Parameters = ReadonlyMap<string, string>;

const PAGE_SIZE = 10;

export interface PickerView {
  /** The request that the choice answers. */
  readonly asked: AuthorizationRequest;
  /** Sealed, as the page has it: the state is not on the page. */
  readonly request: string;
  /** Undefined if this service did not send the request. */
  readonly application?: WayBack | undefined;
  readonly accounts: readonly {
    readonly persona: PersonaRecord;
    readonly account: ShownAccount;
    readonly picture: string;
  }[];
  /** For `from` in the address of the previous page, and of the next; undefined if there is none. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
  readonly known: number;
  readonly search: string;
  /** What is wrong with the address that was typed in. */
  readonly problem?: string | undefined;
  /** The account that was chosen, if it does not exist. */
  readonly unknown?: string | undefined;
}

/** A page of a pending request's picker. @param query names the page */
export function pickerView(
  { name, provider, personas }: AuthorizationServer,
  query: Parameters,
  asked: AuthorizationRequest,
): PickerView {
  const search = query.get("q") ?? "";
  const from = /^\d{1,9}$/.test(query.get("from") ?? "") ? Number(query.get("from")) : 0;
  const page = { search, from, limit: PAGE_SIZE };
  const { shown, hasMore } = personas.page(page, ({ accounts }) => accounts[name] !== undefined);
  return {
    asked,
    request: query.get("request") ?? "",
    accounts: shown.map((persona) => ({
      persona,
      account: provider.shown(persona.accounts[name]!, persona),
      picture: personas.pictureName(persona),
    })),
    previous: from > 0 ? Math.max(0, from - PAGE_SIZE) : undefined,
    next: hasMore ? from + PAGE_SIZE : undefined,
    known: personas.size,
    search,
  };
}
