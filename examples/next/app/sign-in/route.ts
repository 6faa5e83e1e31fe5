import { beginSignIn } from "svc-identity/sign-in";
import { messageOf } from "../../lib/failures.ts";
import { signIn } from "../../lib/svc.ts";

/** Link to it with `<a>`: it is not a page that `<Link>` could prefetch. */
export async function GET(request: Request): Promise<Response> {
  const returnTo = new URL(request.url).searchParams.get("return_to");
  const begun = await beginSignIn(request, { ...signIn(), returnTo });
  if (begun.ok) return new Response(null, { status: 302, headers: begun.headers });
  const page = `<!doctype html><p>${messageOf(begun.error.code)}</p><p><a href="/sign-in">Sign in</a></p>`;
  return new Response(page, { status: 400, headers: { ...begun.headers, "content-type": "text/html" } });
}
