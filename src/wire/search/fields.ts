/** The fields of a search. The password digest is not one, and so it reads like any unknown field. */
export const USER_FIELDS = {
  id: { type: "string" },
  email: { type: "string", isEmail: true },
  name: { type: "string" },
  avatar_url: { type: "string", nullable: true },
  provider: { type: "string", nullable: true, of: "identities" },
  created_at: { type: "datetime" },
  updated_at: { type: "datetime" },
  email_verified_at: { type: "datetime", nullable: true },
} as const;

export const SESSION_FIELDS = {
  id: { type: "string" },
  session_id: { type: "string" },
  user_id: { type: "string" },
  provider: { type: "string" },
  email: { type: "string", isEmail: true },
  name: { type: "string" },
  ip_address: { type: "string" },
  logged_in_at: { type: "datetime" },
  last_signin_at: { type: "datetime" },
  revoked_at: { type: "datetime", nullable: true },
  created_at: { type: "datetime" },
  active: { type: "boolean", isNull: "revoked_at" },
} as const;

export interface Field {
  readonly type: "string" | "datetime" | "boolean";
  readonly nullable?: true;
  /** Text of which what follows the @ is a domain. */
  readonly isEmail?: true;
  /** The table of its values, one for each record there that belongs to the one that is searched. Null if there is none. */
  readonly of?: "identities";
  /** Of a boolean: the column that is null while it is true. */
  readonly isNull?: string;
}
export type Fields = Readonly<Record<string, Field>>;
