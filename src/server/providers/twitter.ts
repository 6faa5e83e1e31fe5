import * as z from "zod/mini";
import { placeholderEmail } from "./email.ts";
import type { ProviderDefinition } from "./provider.ts";
import { displayName, optionalText, uid } from "./reply.ts";

const Me = z.object({
  data: z.object({ id: uid, username: z.string(), name: optionalText, profile_image_url: optionalText }),
});

export const twitter: ProviderDefinition<"me"> = {
  name: "twitter",
  scopes: ["tweet.read", "users.read"],
  pkce: true,
  clientAuthentication: "basic",
  loginHint: undefined,
  endpoints: {
    authorize: "https://x.com/i/oauth2/authorize",
    token: "https://api.x.com/2/oauth2/token",
    me: "https://api.x.com/2/users/me?user.fields=profile_image_url",
  },
  async fetchProfile(get, { me }) {
    const { data } = await get(me, Me);
    return {
      uid: data.id,
      email: placeholderEmail(data.id),
      email_verified: false,
      name: displayName(data.name, data.username),
      avatar_url: data.profile_image_url ?? null,
    };
  },
};
