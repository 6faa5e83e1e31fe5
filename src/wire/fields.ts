/** What can be searched, and as what. The password digest is not here, and so reads like any unknown field. */
export const USER_FIELDS = {
  id: { type: "string" },
  email: { type: "string" },
  name: { type: "string" },
  avatar_url: { type: "string", nullable: true },
  created_at: { type: "datetime" },
  updated_at: { type: "datetime" },
  email_verified_at: { type: "datetime", nullable: true },
} as const;

export const SESSION_FIELDS = {
  id: { type: "string" },
  session_id: { type: "string" },
  user_id: { type: "string" },
  provider: { type: "string" },
  email: { type: "string" },
  name: { type: "string" },
  ip_address: { type: "string" },
  logged_in_at: { type: "datetime" },
  last_signin_at: { type: "datetime" },
  revoked_at: { type: "datetime", nullable: true },
  created_at: { type: "datetime" },
} as const;

export interface Field {
  readonly type: "string" | "datetime";
  readonly nullable?: true;
}
export type Fields = Readonly<Record<string, Field>>;
