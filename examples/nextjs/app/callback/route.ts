import { ATTEMPT, COOKIE, hasCookie, setCookie, svc } from "../../lib/svc.ts";

export async function GET(request: Request): Promise<Response> {
  const token = new URL(request.url).searchParams.get("token");
  const wasAsked = hasCookie(request, ATTEMPT);
  if (!wasAsked || token === null) return new Response("Please sign in again.", { status: 400 });
  const result = await svc().tokens.check(token);
  if (!result.ok) return new Response("The token is not valid.", { status: 401 });
  // The token leaves the address bar at once.
  const headers = new Headers({ location: "/me" });
  headers.append("set-cookie", setCookie(COOKIE, token, 3600));
  headers.append("set-cookie", setCookie(ATTEMPT, "", 0));
  return new Response(null, { status: 303, headers });
}
