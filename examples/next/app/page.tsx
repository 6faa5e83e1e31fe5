import { cookies } from "next/headers";
import { checkToken } from "svc-identity/verify";
import { messageOf } from "../lib/failures.ts";
import { cookieName, env } from "../lib/svc.ts";

export default async function Page({ searchParams }: { searchParams: Promise<{ error?: string }> }) {
  const { error } = await searchParams;
  const token = (await cookies()).get(cookieName())?.value ?? "";
  const result = await checkToken(token, { secretKey: env("SVC_SECRET_KEY") });
  if (!result.ok) {
    return (
      <main>
        {error && <p role="alert">{messageOf(error)}</p>}
        <a href="/sign-in">Sign in</a>
      </main>
    );
  }
  return (
    <main>
      <p>Hello {result.claims.name}.</p>
      <form action="/sign-out" method="post">
        <button>Sign out</button>
      </form>
    </main>
  );
}
