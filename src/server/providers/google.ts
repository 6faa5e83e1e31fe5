import * as z from "zod/mini";
import { SignInError } from "../errors.ts";
import type { ProviderDefinition } from "./provider.ts";
import { displayName, optionalText, uid } from "./reply.ts";

// Google has answered "true" as well as true.
const Userinfo = z.object({
  sub: uid,
  email: z.string(),
  email_verified: z.optional(z.union([z.boolean(), z.literal(["true", "false"])])),
  name: optionalText,
  picture: optionalText,
});

export const google: ProviderDefinition<"userinfo"> = {
  name: "google",
  scopes: ["openid", "email", "profile"],
  pkce: false,
  clientAuthentication: "body",
  loginHint: "login_hint",
  endpoints: {
    authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    userinfo: "https://openidconnect.googleapis.com/v1/userinfo",
  },
  async fetchProfile(get, { userinfo }) {
    const person = await get(userinfo, Userinfo);
    if (String(person.email_verified) !== "true")
      throw new SignInError("email_not_verified", "google: the e-mail address is not verified");
    return {
      uid: person.sub,
      email: person.email,
      email_verified: true,
      name: displayName(person.name, person.email),
      avatar_url: person.picture ?? null,
    };
  },
};
