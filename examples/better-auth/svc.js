import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { handleOAuthUserInfo } from "better-auth/oauth2";
import { beginSignIn, finishSignIn } from "svc-identity/sign-in";

/**
 * A plugin for Better Auth: `GET /api/auth/svc/sign-in` begins a sign-in through svc, and its callback makes the user and the
 * session of Better Auth. Register `<baseURL>/api/auth/svc/callback` among the instance's redirect_uris.
 * @param {{ secretKey: string, baseUrl: string, now?: () => Date }} settings `now` replaces the clock in tests
 */
export function svc(settings) {
  const optionsOf = ({ context }) => ({ ...settings, redirectUri: `${context.baseURL}/svc/callback` });
  return {
    id: "svc",
    endpoints: {
      svcSignIn: createAuthEndpoint("/svc/sign-in", { method: "GET", requireRequest: true }, async (ctx) => {
        const begun = await beginSignIn(ctx.request, { ...optionsOf(ctx), returnTo: ctx.query?.return_to });
        if (!begun.ok) return failed(begun);
        return new Response(null, { status: 302, headers: begun.headers });
      }),

      svcCallback: createAuthEndpoint("/svc/callback", { method: "GET", requireRequest: true }, async (ctx) => {
        const finished = await finishSignIn(ctx.request, optionsOf(ctx));
        if (!finished.ok) return failed(finished);
        const { sub, email, name, avatar_url: image } = finished.claims;
        const { data, error } = await handleOAuthUserInfo(ctx, {
          account: { providerId: "svc", accountId: sub },
          // Known by its id. The token does not say that the address is verified, so none links it to another account.
          userInfo: { id: sub, email, name, image, emailVerified: false },
        });
        if (!data) return failed({ error: { code: error }, headers: finished.headers });
        for (const [header, value] of Object.entries(finished.headers)) ctx.setHeader(header, value);
        await setSessionCookie(ctx, data);
        throw ctx.redirect(finished.returnTo);
      }),
    },
  };
}

function failed({ error, headers }) {
  return Response.json({ error: error.code }, { status: 401, headers });
}
