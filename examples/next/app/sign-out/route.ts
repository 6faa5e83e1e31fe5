import { cookieName, setCookie } from "../../lib/svc.ts";

export function POST(): Promise<Response> {
  const headers = { location: "/", "set-cookie": setCookie(cookieName(), "", 0) };
  return Promise.resolve(new Response(null, { status: 303, headers }));
}
