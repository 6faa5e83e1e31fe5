/** The schemas of what the product API answers with. Programs see the types, which must not need zod. */
import * as z from "zod/mini";
import { PROVIDERS, SESSION_PROVIDERS } from "../providers.ts";
import type * as wire from "../resources.ts";

const text = z.string();
const id = z.uuid();
const provider = z.enum(PROVIDERS);

/** What both APIs say of a user. */
export const user = {
  email: text,
  name: text,
  avatar_url: z.nullable(text),
  email_verified: z.boolean(),
  providers: z.array(provider),
  created_at: text,
};
/** What both APIs say of a session. */
export const session = {
  session_id: text,
  user_id: id,
  provider: z.enum(SESSION_PROVIDERS),
  name: text,
  email: text,
  ip_address: text,
  geo_data: z.record(text, z.unknown()),
  logged_in_at: text,
  last_signin_at: text,
  revoked_at: z.nullable(text),
  active: z.boolean(),
};

export const User: z.ZodMiniType<wire.User> = z.object({ id, resource: z.literal("user"), data: z.object(user) });
export const Session: z.ZodMiniType<wire.Session> = z.object({
  id,
  resource: z.literal("session"),
  data: z.object(session),
});
export const Instance: z.ZodMiniType<wire.Instance> = z.object({
  id,
  resource: z.literal("instance"),
  data: z.object({ publishable_key: text, url: z.nullable(text), subdomain: z.nullable(text) }),
});
export const VerifiedToken: z.ZodMiniType<wire.VerifiedToken> = z.object({
  id,
  resource: z.literal("token"),
  data: z.object({
    valid: z.literal(true),
    email: text,
    name: text,
    avatar_url: text,
    provider: z.enum([...PROVIDERS, "email"]),
  }),
});
export const DeletedUser: z.ZodMiniType<wire.DeletedUser> = z.object({ deleted: z.literal(true), id });
export const Discovery: z.ZodMiniType<wire.Discovery> = z.object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  userinfo_endpoint: text,
  response_types_supported: z.tuple([z.literal("code")]),
  subject_types_supported: z.tuple([z.literal("public")]),
  id_token_signing_alg_values_supported: z.tuple([z.literal("HS256")]),
});
export const ErrorBody: z.ZodMiniType<wire.ErrorBody> = z.object({
  error: text,
  valid: z.exactOptional(z.literal(false)),
});
