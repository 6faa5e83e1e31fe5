import { serve } from "@hono/node-server";
import { createApp } from "./app.js";

const { SVC_SECRET_KEY: secretKey, PORT = "3000" } = process.env;

serve({ fetch: createApp({ secretKey }).fetch, port: Number(PORT) }, ({ port }) => {
  console.log(`http://localhost:${port}`);
});
