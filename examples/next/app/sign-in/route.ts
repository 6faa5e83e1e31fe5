import { beginSignIn } from "svc-identity/sign-in";
import { messageOf } from "../../lib/failures.ts";
import { signIn } from "../../lib/svc.ts";

const PROVIDERS = ["google", "github", "twitter"] as const;

/** Link to it with `<a>`: it is not a page that `<Link>` could prefetch. */
export async function GET(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const returnTo = query.get("return_to");
  // Without a provider, the instance's default.
  const provider = PROVIDERS.find((name) => name === query.get("provider"));
  const begun = await beginSignIn(request, { ...signIn(), provider, returnTo });
  if (begun.ok) return new Response(null, { status: 302, headers: begun.headers });
  const again = returnTo === null ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
  const page = `<!doctype html><p>${messageOf(begun.error.code)}</p><p><a href="/sign-in${again}">Sign in</a></p>`;
  return new Response(page, { status: 400, headers: { ...begun.headers, "content-type": "text/html" } });
}
