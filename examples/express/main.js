import { createApp } from "./server.js";

const { SVC_SECRET_KEY: secretKey, SVC_BASE_URL: baseUrl, PORT = "3000" } = process.env;
createApp({ secretKey, baseUrl, origin: `http://localhost:${PORT}` }).listen(PORT, () => {
  console.log(`Sign in at http://localhost:${PORT}/sign-in`);
});
