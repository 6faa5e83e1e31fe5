import { Auth, skipCSRFCheck } from "@auth/core";
import Credentials from "@auth/core/providers/credentials";
import { beginSignIn, finishSignIn } from "svc-identity/sign-in";
import { checkToken } from "svc-identity/verify";

/**
 * Auth.js, with svc as its sign-in. Register `<origin>/callback` among the instance's redirect_uris.
 * @param {{ secretKey: string, baseUrl: string, origin: string, secret: string, now?: () => Date }} settings `origin` is
 * where this application is, `secret` that of Auth.js; `now` replaces the clock in tests
 * @returns {(request: Request) => Promise<Response>}
 */
export function createApp({ secretKey, baseUrl, origin, secret, now }) {
  const signIn = { secretKey, baseUrl, redirectUri: `${origin}/callback`, now };
  const config = {
    basePath: "/auth",
    trustHost: true,
    secret,
    providers: [
      Credentials({
        id: "svc",
        credentials: { token: {} },
        async authorize({ token }) {
          const checked = await checkToken(token, { secretKey, now });
          if (!checked.ok) return null;
          const { sub: id, email, name, avatar_url: image } = checked.claims;
          return { id, email, name, image };
        },
      }),
    ],
  };

  /** Hands Auth.js the token of a sign-in. In Next.js that is `await signIn("svc", { token, redirectTo })`. */
  function signInWith(request, token, returnTo) {
    const callbackUrl = new URL(returnTo, origin).href;
    const headers = new Headers({ cookie: request.headers.get("cookie") ?? "" });
    headers.set("content-type", "application/x-www-form-urlencoded");
    const body = new URLSearchParams({ token, callbackUrl });
    // finishSignIn has shown that this browser began the sign-in.
    return Auth(new Request(`${origin}/auth/callback/svc`, { method: "POST", headers, body }), {
      ...config,
      skipCSRFCheck,
    });
  }

  return async function handle(request) {
    const url = new URL(request.url);
    if (url.pathname === "/sign-in") {
      const begun = await beginSignIn(request, { ...signIn, returnTo: url.searchParams.get("return_to") });
      return begun.ok ? new Response(null, { status: 302, headers: begun.headers }) : failed(begun);
    }
    if (url.pathname === "/callback") {
      const finished = await finishSignIn(request, signIn);
      if (!finished.ok) return failed(finished);
      const response = await signInWith(request, finished.token, finished.returnTo);
      // Both set cookies: one ends the attempt, the other is the session.
      const headers = new Headers(response.headers);
      for (const [name, value] of Object.entries(finished.headers)) headers.append(name, value);
      return new Response(null, { status: 302, headers });
    }
    return Auth(request, config);
  };
}

function failed({ error, headers }) {
  return Response.json({ error: error.code }, { status: 401, headers });
}
