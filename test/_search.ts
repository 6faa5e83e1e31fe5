import { type Service } from "./_setup.ts";

export const CHARLES = "00000000-0000-4000-8000-0000000000c1";

/** Expected users are named by the first letter of their address, sessions by the last digit of their id. */
export const SEED = {
  instances: [
    {
      name: "Acme",
      subdomain: "acme",
      users: [
        {
          email: "grace@navy.test",
          name: "Grace Hopper",
          created_at: "2026-02-14T12:30:00Z",
          email_verified_at: "2026-02-14T12:30:00Z",
          identities: [{ provider: "github", uid: "2001" }],
        },
        { email: "jose@navy.test", name: "Jose\u0301 ﬁeld", created_at: "2026-01-05T23:59:59.999Z" },
        {
          email: "ada@acme.test",
          name: "Ada Lovelace",
          avatar_url: "https://cdn.test/ada.png?v=1",
          created_at: "2026-01-05T09:00:00Z",
          email_verified_at: "2026-01-05T09:00:00Z",
          identities: [
            { provider: "google", uid: "1001" },
            { provider: "github", uid: "2002" },
          ],
          sessions: [
            {
              session_id: "svc_session_00000000-0000-4000-8000-000000000001",
              provider: "google",
              ip_address: "203.0.113.7",
              logged_in_at: "2026-05-01T08:00:00Z",
              last_signin_at: "2026-05-20T08:00:00Z",
            },
            {
              session_id: "svc_session_00000000-0000-4000-8000-000000000002",
              provider: "github",
              ip_address: "198.51.100.23",
              logged_in_at: "2026-03-11T17:40:00Z",
              revoked_at: "2026-03-12T08:00:00Z",
            },
          ],
        },
        { email: "s_t%@ACME.test", name: "S*r.(x)+", created_at: "2026-01-05T00:00:00Z" },
        {
          id: CHARLES,
          email: "charles@acme.test",
          name: "Charles Babbage",
          created_at: "2025-12-24T18:00:00Z",
          password_digest: "digest",
          sessions: [
            {
              id: "00000000-0000-4000-8000-00000000003a",
              session_id: "svc_session_00000000-0000-4000-8000-000000000003",
              provider: "password",
              ip_address: "192.0.2.44",
              logged_in_at: "2025-12-24T18:00:00Z",
            },
            {
              session_id: "svc_session_00000000-0000-4000-8000-000000000004",
              provider: "twitter",
              ip_address: "2001:db8::1",
              logged_in_at: "2026-05-10T00:00:00Z",
            },
          ],
        },
      ],
    },
    {
      name: "Globex",
      subdomain: "globex",
      users: [
        {
          email: "x@acme.test",
          name: "Ada Lovelace",
          created_at: "2026-01-05T09:00:00Z",
          sessions: [{ provider: "google", ip_address: "203.0.113.7", logged_in_at: "2026-05-01T08:00:00Z" }],
        },
      ],
    },
  ],
};

export function search({ acme, as }: Service, noun: "users" | "sessions", query: string): Promise<Response> {
  return as(acme, `/api/v1/${noun}/search?query=${encodeURIComponent(query)}`);
}

export type Row = [query: string, found: string];

type Rule = [rule: string, rows: Row[]];

export const RANGES: Rule[] = [
  [
    "one field with a lower and an upper bound that leave something between them: a range",
    [
      ["created_at>=2026-01-05 created_at<2026-01-06", "jas"],
      ["created_at<2026-01-06 created_at>=2026-01-05", "jas"],
      ["created_at>=2026-01-05T09:00:00Z created_at<=2026-01-05T09:00:00Z", "a"],
      ["created_at>2026-01-05T08:59:59.999Z created_at<2026-01-05T09:00:00.001Z", "a"],
    ],
  ],
  [
    "one field with other comparisons: either of them",
    [
      ["created_at<2026-01-01 created_at>2026-02-01", "gc"],
      ["created_at>2026-02-01 created_at<2026-01-01", "gc"],
      ["created_at>=2026-01-01 created_at>=2026-02-01", "gjas"],
      ["created_at<2026-01-01 created_at<2026-02-01", "jasc"],
      ["created_at>2026-01-05T09:00:00Z created_at<2026-01-05T09:00:00Z", "gjsc"],
      ["created_at>2026-01-05T09:00:00Z created_at<=2026-01-05T09:00:00Z", "gjasc"],
      ["created_at>2026-01-05T09:00:00Z created_at<2026-01-05T09:00:00.001Z", "gjasc"],
      ["email_verified_at>2026-04-01 email_verified_at<2020-01-01", ""],
    ],
  ],
  [
    "one field with three comparisons or more: the weakest of each side decide",
    [
      ["created_at>=2026-01-01 created_at>=2026-02-01 created_at<2026-01-20", "jas"],
      ["created_at<2026-01-01 created_at<2026-01-20 created_at>=2026-01-01", "jas"],
      ["created_at>2026-02-01 created_at>2026-03-01 created_at<2026-01-01", "gc"],
    ],
  ],
];

export const BY_PROVIDER: Rule[] = [
  [
    "provider: users with an identity of it",
    [
      ["provider:github", "ga"],
      ["provider:GITHUB", "ga"],
      ["provider:google", "a"],
      ["provider:twitter", ""],
      ["provider:google provider:twitter", "a"],
      ["provider:goo*", "a"],
      ["provider:*hub", "ga"],
      ["provider:*i*", "ga"],
      ["provider:*", "ga"],
      ["provider:github name:*grace*", "g"],
    ],
  ],
  [
    "-provider: users without an identity of it",
    [
      ["-provider:github", "jsc"],
      ["-provider:google", "gjsc"],
      ["-provider:goo*", "gjsc"],
      ["-provider:github -provider:google", "jsc"],
      ["provider:github -provider:google", "g"],
    ],
  ],
  [
    "provider:null: users without any identity",
    [
      ["provider:null", "jsc"],
      ["-provider:null", "ga"],
      ["provider:null provider:google", "jasc"],
      ["provider:null -provider:google email:*acme*", "sc"],
    ],
  ],
];
