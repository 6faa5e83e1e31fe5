import type { Query } from "../../wire/search/query.ts";
import { fold } from "../../wire/text/fold.ts";
import type { Store, UserView } from "./store.ts";

/** The user of an instance with this e-mail address, in any case. */
export async function userByEmail(store: Store, instance_id: string, email: string): Promise<UserView | undefined> {
  const values = [{ field: "email", operator: "is", value: fold(email), negated: false }] as const;
  const query: Query = [{ field: "email", column: "email", type: "string", values, range: [], excluded: [] }];
  for await (const [view] of store.users(instance_id, { query, limit: 1, isFresh: true })) return view;
  return undefined;
}
