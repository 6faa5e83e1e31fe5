import * as z from "zod/mini";
import { SignInFailure } from "../errors.ts";
import { optionalText, uid, type ProviderDefinition } from "./provider.ts";

const Userinfo = z.object({
  sub: uid,
  email: z.string(),
  // Google has answered "true" as well as true, and some compatible servers omit it.
  email_verified: z.optional(z.unknown()),
  name: optionalText,
  picture: optionalText,
});

export const google: ProviderDefinition<"userinfo"> = {
  name: "google",
  issuer: "https://accounts.google.com",
  scopes: ["openid", "email", "profile"],
  pkce: false,
  clientAuthentication: "body",
  loginHint: "login_hint",
  verifiesEmail: true,
  endpoints: {
    authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    userinfo: "https://openidconnect.googleapis.com/v1/userinfo",
  },
  async fetchProfile(get) {
    const person = await get("userinfo", Userinfo);
    // "Google always supplies a verified email" (spec, "User"), so only an explicit false counts.
    if (String(person.email_verified).toLowerCase() === "false")
      throw new SignInFailure(
        "email_not_verified",
        "Google has not verified the e-mail address of this account. The user must verify it at Google.",
      );
    return {
      uid: person.sub,
      email: person.email,
      email_verified: true,
      name: person.name,
      avatar_url: person.picture,
    };
  },
};
