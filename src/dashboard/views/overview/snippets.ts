interface Snippet {
  /** What the shell that runs the application needs. */
  readonly env: string;
  readonly code: string;
}

const INSTALL = "npm install svc-identity";
const ENV = 'eval "$(npx svc-identity env)"';

/** A sign-in in each framework. The secret key comes from the environment, never from a page. */
export const SNIPPETS = {
  Express: (front) => ({
    env: `${INSTALL} express && ${ENV}`,
    code: `import express from "express";
import { createClient } from "svc-identity";

const svc = createClient({ secretKey: process.env.SVC_SECRET_KEY, baseUrl: "${front}" });
const app = express();

app.get("/login", async (req, res) => {
  res.redirect(await svc.signInUrl({ provider: "github", redirectUri: "http://localhost:3000/callback" }));
});
app.get("/callback", async (req, res) => {
  const result = await svc.tokens.check(String(req.query.token ?? ""));
  if (!result.ok) return res.status(401).send(\`Not signed in: \${req.query.error ?? result.error.code}\`);
  res.send(\`Hello \${result.token.data.name}\`);
});
app.listen(3000);`,
  }),
  "Next.js": (front) => ({
    env: `${INSTALL} && ${ENV}`,
    code: `// app/callback/route.ts
import { NextResponse } from "next/server";
import { createClient } from "svc-identity";

const svc = createClient({ secretKey: process.env.SVC_SECRET_KEY, baseUrl: "${front}" });

export async function GET(request: Request) {
  const { searchParams } = new URL(request.url);
  const result = await svc.tokens.check(searchParams.get("token") ?? "");
  const response = NextResponse.redirect(new URL(result.ok ? "/" : "/signed-out", request.url));
  if (result.ok) response.cookies.set("token", searchParams.get("token")!, { httpOnly: true, sameSite: "lax" });
  return response;
}
// A link to sign in: ${front}/sign-in?redirect_uri=http://localhost:3000/callback`,
  }),
  Hono: (front) => ({
    env: `${INSTALL} hono @hono/node-server && ${ENV}`,
    code: `import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createClient } from "svc-identity";

const svc = createClient({ secretKey: process.env.SVC_SECRET_KEY, baseUrl: "${front}" });
const app = new Hono();

app.get("/login", async (c) => c.redirect(await svc.signInUrl({ provider: "github", redirectUri: "http://localhost:3000/callback" })));
app.get("/callback", async (c) => {
  const result = await svc.tokens.check(c.req.query("token") ?? "");
  return result.ok ? c.text(\`Hello \${result.token.data.name}\`) : c.text("Not signed in", 401);
});
serve({ fetch: app.fetch, port: 3000 });`,
  }),
  curl: (front, publishableKey) => ({
    env: ENV,
    code: `# Sign in as a simulated account, without a browser. The last address has the token.
curl -sL -o /dev/null -w '%{url_effective}\\n' --max-redirs 3 \\
  '${front}/oauth/authorize?provider=github&login_hint=ada&publishable_key=${publishableKey}&redirect_uri=${front}/__svc/signed-in'

# Verify it.
curl -s ${front}/api/v1/tokens/verify -H "X-Service-Secret-Key: $SVC_SECRET_KEY" \\
  -H 'Content-Type: application/json' -d "{\\"token\\": \\"$TOKEN\\"}"`,
  }),
} as const satisfies Record<string, (front: string, publishableKey: string) => Snippet>;
