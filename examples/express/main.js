import { createClient } from "svc-identity";
import { createApp } from "./server.js";

const { SVC_SECRET_KEY: secretKey, SVC_BASE_URL: baseUrl, PORT = "3000" } = process.env;

try {
  // A wrong key or address is better seen now than at the first sign-in.
  await createClient({ secretKey, baseUrl }).users.list({ limit: 1 });
} catch (error) {
  console.error(`Check SVC_SECRET_KEY and SVC_BASE_URL: ${error.message}`);
  process.exit(1);
}

createApp({ secretKey, baseUrl, origin: `http://localhost:${PORT}` }).listen(PORT, () => {
  console.log(`Sign in at http://localhost:${PORT}/sign-in`);
});
