import { cookies } from "next/headers";
import { checkToken } from "svc-identity/verify";
import { cookieName, env } from "../../lib/svc.ts";

/**
 * A page for signed-in users, which a link in somebody's mail may open. It shows a link to sign in and does not redirect to
 * it: a sign-in begins with a click on a page of this application.
 */
export default async function Dashboard() {
  const token = (await cookies()).get(cookieName())?.value ?? "";
  const result = await checkToken(token, { secretKey: env("SVC_SECRET_KEY") });
  if (!result.ok) {
    return (
      <main>
        <a href="/sign-in?return_to=/dashboard">Sign in</a> to see this page.
      </main>
    );
  }
  return (
    <main>
      <h1>Dashboard</h1>
      <p>{result.claims.email}</p>
    </main>
  );
}
