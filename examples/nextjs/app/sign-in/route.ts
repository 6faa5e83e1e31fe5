import { ATTEMPT, origin, setCookie, svc } from "../../lib/svc.ts";

export async function GET(request: Request): Promise<Response> {
  // Another site must not start a sign-in, or it could finish one as another user. Its visitors start here.
  if (request.headers.get("sec-fetch-site") === "cross-site")
    return new Response(null, { status: 302, headers: { location: "/" } });
  const headers = new Headers({ location: await svc().signInUrl({ redirectUri: `${origin()}/callback` }) });
  // Tells the callback that this browser started the sign-in.
  headers.append("set-cookie", setCookie(ATTEMPT, "1", 600));
  return new Response(null, { status: 302, headers });
}
