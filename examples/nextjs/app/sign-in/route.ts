import { ATTEMPT, setCookie, svc } from "../../lib/svc.ts";

export async function GET(request: Request): Promise<Response> {
  // Only a person who is here, or comes by a link of their own, begins: no other site does it for them.
  if (request.headers.get("sec-fetch-site") === "cross-site")
    return new Response("Begin at this site.", { status: 403 });
  const redirectUri = new URL("/callback", request.url).href;
  const headers = new Headers({ location: await svc().signInUrl({ redirectUri }) });
  // Shows the callback that this browser asked to be signed in, so that an attacker can't sign it in as another user.
  headers.append("set-cookie", setCookie(ATTEMPT, "1", 600));
  return new Response(null, { status: 302, headers });
}
