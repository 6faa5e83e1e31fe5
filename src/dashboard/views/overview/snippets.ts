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
/** The service as an application sees it. */
function client(front: string): string {
  return `import { createClient } from "svc-identity";

const svc = createClient({ secretKey: process.env.SVC_SECRET_KEY, baseUrl: "${front}" });`;
}

/** A sign-in in each framework. The secret key comes from the environment, never from a page. */
export const SNIPPETS = {
  Express: (front) => ({
    env: `npm install express\n${ENV}`,
    code: `// app.mjs
import express from "express";
${client(front)}
const app = express();

app.get("/", (req, res) => res.send('<a href="/login">Sign in</a>'));
app.get("/login", async (req, res) => {
  // Another site could end the sign-in with a token of its own.
  if (req.headers["sec-fetch-site"] === "cross-site") return res.redirect("/");
  // Shows the callback that this browser began the sign-in.
  res.cookie("signing_in", "1", { httpOnly: true, sameSite: "lax" });
  res.redirect(await svc.signInUrl({ redirectUri: "${ADDRESS}/callback" }));
});
app.get("/callback", async (req, res) => {
  const { token = "", error = "no sign-in began here" } = req.query;
  const began = req.headers.cookie?.includes("signing_in=1");
  res.clearCookie("signing_in").type("text");
  if (!began || token === "") return res.status(400).send(\`Not signed in: \${error}\`);
  const result = await svc.tokens.check(String(token));
  if (!result.ok) return res.status(401).send(\`Not signed in: \${result.error.code}\`);
  res.send(\`Hello \${result.token.data.name}\`);
});
app.listen(3000, () => console.log("${ADDRESS}"));`,
    start: NODE,
  }),
  "Next.js": (front) => ({
    env: ENV,
    code: `// app/login/route.ts
${client(front)}

export async function GET(request: Request) {
  // Another site could end the sign-in with a token of its own.
  if (request.headers.get("sec-fetch-site") === "cross-site") return Response.redirect(new URL("/", request.url));
  const location = await svc.signInUrl({ redirectUri: new URL("/callback", request.url).href });
  // Shows the callback that this browser began the sign-in.
  const headers = { location, "set-cookie": "signing_in=1; Path=/; HttpOnly; SameSite=Lax" };
  return new Response(null, { status: 302, headers });
}

// app/callback/route.ts
${client(front)}

export async function GET(request: Request) {
  const { searchParams } = new URL(request.url);
  const token = searchParams.get("token") ?? "";
  const error = searchParams.get("error") ?? "no sign-in began here";
  const began = request.headers.get("cookie")?.includes("signing_in=1");
  const headers = { "set-cookie": "signing_in=; Path=/; Max-Age=0" };
  if (!began || token === "") return new Response(\`Not signed in: \${error}\`, { status: 400, headers });
  const result = await svc.tokens.check(token);
  if (!result.ok) return new Response(\`Not signed in: \${result.error.code}\`, { status: 401, headers });
  return new Response(\`Hello \${result.token.data.name}\`, { headers });
}`,
    start: { command: "npm run dev", address: `${ADDRESS}/login` },
  }),
  Hono: (front) => ({
    env: `npm install hono @hono/node-server\n${ENV}`,
    code: `// app.mjs
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
${client(front)}
const app = new Hono();

app.get("/", (c) => c.html('<a href="/login">Sign in</a>'));
app.get("/login", async (c) => {
  // Another site could end the sign-in with a token of its own.
  if (c.req.header("sec-fetch-site") === "cross-site") return c.redirect("/");
  // Shows the callback that this browser began the sign-in.
  setCookie(c, "signing_in", "1", { httpOnly: true, sameSite: "Lax" });
  return c.redirect(await svc.signInUrl({ redirectUri: "${ADDRESS}/callback" }));
});
app.get("/callback", async (c) => {
  const { token = "", error = "no sign-in began here" } = c.req.query();
  const began = getCookie(c, "signing_in") === "1";
  deleteCookie(c, "signing_in");
  if (!began || token === "") return c.text(\`Not signed in: \${error}\`, 400);
  const result = await svc.tokens.check(token);
  if (!result.ok) return c.text(\`Not signed in: \${result.error.code}\`, 401);
  return c.text(\`Hello \${result.token.data.name}\`);
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
