import { serve } from "@hono/node-server";
import { createApp } from "./app.js";

serve({ fetch: createApp({ secretKey: process.env.SVC_SECRET_KEY }).fetch, port: 3000 });
