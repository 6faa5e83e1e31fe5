import { failed } from "../../lib/failures.ts";
import { ATTEMPT, COOKIE, hasCookie, setCookie, svc } from "../../lib/svc.ts";

export async function GET(request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const token = searchParams.get("token");
  if (!hasCookie(request, ATTEMPT)) return failed("expired");
  if (token === null) return failed(searchParams.get("error") ?? "server_error");
  // If the service could not be reached, or refused the key, the log says why, and the user can try again.
  const result = await svc()
    .tokens.check(token)
    .catch((error: Error) => console.error(error.message));
  if (!result) return failed("temporarily_unavailable");
  if (!result.ok) return failed("expired");
  // The token leaves the address bar at once.
  const headers = new Headers({ location: "/" });
  headers.append("set-cookie", setCookie(COOKIE, token, 3600));
  headers.append("set-cookie", setCookie(ATTEMPT, "", 0));
  return new Response(null, { status: 303, headers });
}
