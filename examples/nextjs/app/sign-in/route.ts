import { ATTEMPT, setCookie, svc } from "../../lib/svc.ts";

export async function GET(request: Request): Promise<Response> {
  const redirectUri = new URL("/callback", request.url).href;
  const headers = new Headers({ location: await svc().signInUrl({ redirectUri }) });
  // Shows the callback that this browser asked to be signed in, so that nobody signs it in as somebody else.
  headers.append("set-cookie", setCookie(ATTEMPT, "1", 600));
  return new Response(null, { status: 302, headers });
}
