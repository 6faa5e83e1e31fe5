import * as z from "zod/mini";
import { optionalText, uid, type ProviderDefinition } from "./provider.ts";

const Me = z.object({
  data: z.object({ id: uid, username: optionalText, name: optionalText, profile_image_url: optionalText }),
});

export const twitter: ProviderDefinition<"me"> = {
  name: "twitter",
  scopes: ["tweet.read", "users.read"],
  pkce: true,
  clientAuthentication: "basic",
  loginHint: undefined,
  verifiesEmail: false,
  endpoints: {
    authorize: "https://x.com/i/oauth2/authorize",
    token: "https://api.x.com/2/oauth2/token",
    me: "https://api.x.com/2/users/me?user.fields=profile_image_url",
  },
  async fetchProfile(get) {
    const { data } = await get("me", Me);
    return {
      uid: data.id,
      email: null,
      email_verified: false,
      name: data.name,
      username: data.username,
      avatar_url: data.profile_image_url,
    };
  },
};
