import { describe, expect, it } from "vitest";
import type { Session } from "../../src/wire/resources.ts";
import { CHARLES, type Row, search, SEED } from "../_search.ts";
import { setup } from "../_setup.ts";

describe("GET /api/v1/sessions/search", () => {
  it.each<[string, Row[]]>([
    [
      "provider is text like any other",
      [
        ["provider:google", "1"],
        ["provider:GitHub", "2"],
        ["provider:password", "3"],
        ["provider:twitter", "4"],
        ["provider:g*", "12"],
        ["provider:*r", "4"],
        ["provider:*e*", "14"],
        ["-provider:g*", "43"],
        ["provider:google provider:password", "13"],
        ["-provider:google -provider:github", "43"],
      ],
    ],
    [
      "ip_address takes wildcards",
      [
        ["ip_address:203.0.113.7", "1"],
        ["ip_address:203.0.*", "1"],
        ["ip_address:*.44", "3"],
        ["ip_address:*.100.*", "2"],
        ["ip_address:2001:db8::1", "4"],
        ["ip_address:2001:DB8:*", "4"],
        ["ip_address:19*", "23"],
      ],
    ],
    [
      "email and name are those of the sign-in",
      [
        ["email:ada@acme.test", "12"],
        ["email:*@acme.test", "1423"],
        ["name:*Babbage", "43"],
        ["-name:Ada*", "43"],
      ],
    ],
    [
      "ids are text",
      [
        [`user_id:${CHARLES}`, "43"],
        ["session_id:svc_session_00000000-0000-4000-8000-000000000002", "2"],
        ["session_id:svc_session_*", "1423"],
        ["id:00000000-0000-4000-8000-00000000003a", "3"],
      ],
    ],
    [
      "logged_in_at, last_signin_at and created_at are dates",
      [
        ["logged_in_at>=2026-05-01", "14"],
        ["logged_in_at:2026-05-01", "1"],
        ["last_signin_at>=2026-05-10", "14"],
        ["last_signin_at>2026-05-10", "1"],
        ["last_signin_at:2026-05-01", ""],
        ["last_signin_at>=2026-03-01 last_signin_at<2026-05-20", "42"],
        ["created_at<2026-01-01", "3"],
        ["created_at<=2026-05-01T08:00:00Z", "123"],
      ],
    ],
    [
      "revoked_at is a date or nothing",
      [
        ["revoked_at:null", "143"],
        ["-revoked_at:null", "2"],
        ["revoked_at:2026-03-12", "2"],
        ["-revoked_at:2026-03-12", "143"],
        ["revoked_at>=2026-03-12T08:00:00Z", "2"],
        ["revoked_at<2030-01-01", "2"],
      ],
    ],
    [
      "active is true until the session is revoked",
      [
        ["active:true", "143"],
        ["active:false", "2"],
        ["-active:false", "143"],
        ["-active:true", "2"],
        ["active:true active:false", "1423"],
        ["active:true -active:true", ""],
        ["active:true provider:g*", "1"],
        ["active:true revoked_at:2026-03-12", ""],
        ["active:false revoked_at:2026-03-12", "2"],
      ],
    ],
    [
      "a time has up to nine digits of fraction, of which three count",
      [
        ["logged_in_at:2026-05-01T08:00:00.000999999Z", "1"],
        ["logged_in_at:2026-05-01T08:00:00.000000001Z", "1"],
        ["logged_in_at>2026-05-01T08:00:00.000999999Z", "4"],
        ["logged_in_at>=2026-05-01T07:59:59.999999999Z logged_in_at<=2026-05-01T08:00:00.0001Z", "1"],
        ["logged_in_at:2026-05-01T10:00:00.000000+02:00", "1"],
        ["logged_in_at:2026-05-01T08:00:00.001Z", ""],
      ],
    ],
    [
      "fields combine",
      [
        ["provider:g* revoked_at:null", "1"],
        ["email:ada@acme.test -provider:github", "1"],
        ["email:charles* provider:google provider:twitter", "4"],
        ["provider:g* logged_in_at<2026-04-01 -revoked_at:null", "2"],
      ],
    ],
  ])("%s", async (_, rows) => {
    const service = await setup({ seed: SEED });
    const found = rows.map(async ([query]): Promise<Row> => {
      const sessions = (await (await search(service, "sessions", query)).json()) as Session[];
      return [query, sessions.map(({ data }) => data.session_id.at(-1)).join("")];
    });
    expect(await Promise.all(found)).toEqual(rows);
  });
});
