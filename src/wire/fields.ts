/** The fields of a search. The password digest is not one, and so it reads like any unknown field. */
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
  active: { type: "boolean", isNull: "revoked_at" },
} as const;

/** A `boolean` is true while the column that it names is null. */
export type Field =
  | { readonly type: "string" | "datetime"; readonly nullable?: true; readonly isNull?: undefined }
  | { readonly type: "boolean"; readonly isNull: string; readonly nullable?: undefined };
export type Fields = Readonly<Record<string, Field>>;
