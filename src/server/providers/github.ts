import * as z from "zod/mini";
import { SignInError } from "../errors.ts";
import type { ProviderDefinition } from "./provider.ts";
import { displayName, optionalText, uid } from "./reply.ts";

const User = z.object({ id: uid, login: z.string(), name: optionalText, avatar_url: optionalText });
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

export const github: ProviderDefinition<"user" | "emails"> = {
  name: "github",
  scopes: ["user:email", "read:user"],
  pkce: false,
  clientAuthentication: "body",
  loginHint: "login",
  endpoints: {
    authorize: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    user: "https://api.github.com/user",
    emails: "https://api.github.com/user/emails",
  },
  async fetchProfile(get, endpoints) {
    const user = await get(endpoints.user, User);
    // The address in the profile is whatever its owner typed; only this list says what was verified.
    const emails = await get(endpoints.emails, Emails);
    const primary = emails.find((entry) => entry.primary && entry.verified);
    if (!primary) throw new SignInError("email_not_verified", "github: no verified primary e-mail address");
    return {
      uid: user.id,
      email: primary.email,
      email_verified: true,
      name: displayName(user.name, user.login),
      avatar_url: user.avatar_url ?? null,
    };
  },
};
