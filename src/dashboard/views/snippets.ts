export interface Snippet {
  /** The environment of the application's shell. */
  readonly env: string;
  readonly code: string;
  /** The command that starts it, and its first address. Without them, the code itself is run. */
  readonly start?: { readonly command: string; readonly address: string };
}

const ENV = 'eval "$(npx svc-identity env)"';
const ADDRESS = "http://localhost:3000";
const NODE = { command: "node app.mjs", address: ADDRESS };
/** What both halves of a sign-in take. */
function options(front: string, secretKey = "process.env.SVC_SECRET_KEY"): string {
  return `const signIn = {
  secretKey: ${secretKey},
  baseUrl: "${front}",
  redirectUri: "${ADDRESS}/callback",
};`;
}

/** A sign-in in each framework. The secret key comes from the environment, never from a page. */
export const SNIPPETS = {
  Express: (front) => ({
    env: `npm install express\n${ENV}`,
    code: `// app.mjs
import express from "express";
import { beginSignIn, finishSignIn } from "svc-identity/sign-in";

${options(front)}
const app = express();

app.get("/", (req, res) => res.send('<a href="/login">Sign in</a>'));
app.get("/login", async (req, res) => {
  const begun = await beginSignIn(req, signIn);
  if (!begun.ok) return res.status(400).send('<a href="/login">Sign in</a>');
  res.set(begun.headers).redirect(begun.location);
});
app.get("/callback", async (req, res) => {
  const finished = await finishSignIn(req, signIn);
  res.set(finished.headers).type("text");
  if (!finished.ok) return res.status(401).send(\`Not signed in. \${finished.error.message}\`);
  res.send(\`Hello \${finished.claims.name}\`);
});
app.listen(3000, () => console.log("${ADDRESS}"));`,
    start: NODE,
  }),
  "Next.js": (front) => ({
    env: ENV,
    code: `// app/login/route.ts
import { beginSignIn } from "svc-identity/sign-in";

${options(front, "process.env.SVC_SECRET_KEY!")}

export async function GET(request: Request) {
  const begun = await beginSignIn(request, signIn);
  if (!begun.ok) return new Response(begun.error.message, { status: 400 });
  return new Response(null, { status: 302, headers: begun.headers });
}

// app/callback/route.ts
import { finishSignIn } from "svc-identity/sign-in";

${options(front, "process.env.SVC_SECRET_KEY!")}

export async function GET(request: Request) {
  const finished = await finishSignIn(request, signIn);
  const { headers } = finished;
  if (!finished.ok) return new Response(\`Not signed in. \${finished.error.message}\`, { status: 401, headers });
  return new Response(\`Hello \${finished.claims.name}\`, { headers });
}`,
    start: { command: "npm run dev", address: `${ADDRESS}/login` },
  }),
  Hono: (front) => ({
    env: `npm install hono @hono/node-server\n${ENV}`,
    code: `// app.mjs
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { beginSignIn, finishSignIn } from "svc-identity/sign-in";

${options(front)}
const app = new Hono();

app.get("/", (c) => c.html('<a href="/login">Sign in</a>'));
app.get("/login", async (c) => {
  const begun = await beginSignIn(c.req.raw, signIn);
  if (!begun.ok) return c.html('<a href="/login">Sign in</a>', 400);
  return c.body(null, 302, begun.headers);
});
app.get("/callback", async (c) => {
  const finished = await finishSignIn(c.req.raw, signIn);
  if (!finished.ok) return c.text(\`Not signed in. \${finished.error.message}\`, 401, finished.headers);
  return c.text(\`Hello \${finished.claims.name}\`, 200, finished.headers);
});
serve({ fetch: app.fetch, port: 3000 }, () => console.log("${ADDRESS}"));`,
    start: NODE,
  }),
  curl: (front, publishableKey) => ({
    env: ENV,
    code: `# Sign in as a simulated account, without a browser. The last address has the token.
TOKEN=$(curl -sL -o /dev/null -w '%{url_effective}' --max-redirs 3 \\
  '${front}/oauth/authorize?provider=github&login_hint=ada&publishable_key=${publishableKey}&redirect_uri=${front}/__svc/signed-in' \\
  | sed 's/.*token=//')

# Verify it.
curl -s ${front}/api/v1/tokens/verify -H "X-Service-Secret-Key: $SVC_SECRET_KEY" \\
  -H 'Content-Type: application/json' -d "{\\"token\\": \\"$TOKEN\\"}"`,
  }),
} as const satisfies Record<string, (front: string, publishableKey: string) => Snippet>;
