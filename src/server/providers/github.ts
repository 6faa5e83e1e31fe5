import * as z from "zod/mini";
import { SignInFailure } from "../errors.ts";
import { lenient, optionalText, uid, type ProviderDefinition } from "./provider.ts";

const User = z.object({ id: uid, login: optionalText, name: optionalText, avatar_url: optionalText });
const Email = z.object({
  email: z.string(),
  primary: z.optional(z.boolean()),
  verified: z.optional(z.boolean()),
});
/** The most that GitHub puts on a page. An endless list would block the server, and each bad entry lengthen the log. */
const MAX_EMAILS = 100;
/** An entry that can't be parsed does not invalidate the others. */
const Emails = z.pipe(
  z.transform((sent: unknown) => (Array.isArray(sent) ? sent.slice(0, MAX_EMAILS) : sent)),
  z.array(lenient(Email)),
);

export const github: ProviderDefinition<"user" | "emails"> = {
  name: "github",
  scopes: ["user:email", "read:user"],
  pkce: false,
  clientAuthentication: "body",
  loginHint: "login",
  verifiesEmail: false,
  endpoints: {
    authorize: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    user: "https://api.github.com/user",
    // A page has 30 without it.
    emails: `https://api.github.com/user/emails?per_page=${MAX_EMAILS}`,
  },
  async fetchProfile(get) {
    const user = await get("user", User);
    // The profile's address is unverified; only this list says which are verified.
    const emails = (await get("emails", Emails)).filter((entry) => entry !== null);
    // Some compatible servers omit `primary` if there is only one address.
    const primary = emails.find(({ primary: isPrimary = emails.length === 1, verified }) => isPrimary && verified);
    if (!primary)
      throw new SignInFailure(
        "email_not_verified",
        "GitHub has no verified primary e-mail address for this account. The user must verify it at GitHub.",
      );
    return {
      uid: user.id,
      email: primary.email,
      email_verified: true,
      name: user.name,
      username: user.login,
      avatar_url: user.avatar_url,
    };
  },
};
