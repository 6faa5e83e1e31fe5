import { control } from "./client.ts";
import type { User } from "./records.ts";

/** Revokes every open session of a user. @returns their number */
export async function revokeSessionsOf({ id, data: { instance } }: User): Promise<number> {
  const query = `user_id:${id} active:true`;
  let revoked = 0;
  for await (const { data } of control.rows("GET /sessions", { instance, query })) {
    const params = { session_id: data.session_id };
    await control.request("POST /sessions/:session_id/revoke", { params, query: { instance } });
    revoked++;
  }
  return revoked;
}
