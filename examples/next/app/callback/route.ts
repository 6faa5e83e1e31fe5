import { finishSignIn } from "svc-identity/sign-in";
import { known } from "../../lib/failures.ts";
import { cookieName, setCookie, signIn } from "../../lib/svc.ts";

export async function GET(request: Request): Promise<Response> {
  const finished = await finishSignIn(request, signIn());
  const headers = new Headers(finished.headers);
  if (finished.ok) {
    // The token leaves the address bar at once.
    headers.append("set-cookie", setCookie(cookieName(), finished.token, 3600));
    headers.set("location", finished.returnTo);
  } else {
    // Behind the right nonce, only a wrong key or a wrong clock makes a token invalid.
    if (finished.error.name === "TokenError") console.error(finished.error.message);
    headers.set("location", `/?error=${known(finished.error.code)}`);
  }
  return new Response(null, { status: 303, headers });
}
