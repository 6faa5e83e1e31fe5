import { once } from "node:events";
import { createServer } from "node:http";
import { test as base } from "svc-identity/testing/playwright";
import { createApp } from "../server.js";

/** A test with the application: each worker has one, on a free port, and a service of its own. */
export const test = base.extend({
  app: [
    async ({ service }, use) => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      const origin = `http://localhost:${server.address().port}`;
      const [{ secret_key: secretKey, url: baseUrl }] = service.instances;
      server.on("request", createApp({ secretKey, baseUrl, origin, now: service.clock.now }));
      await use({ origin });
      server.closeAllConnections();
      server.close();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ app }, use) => use(app.origin),
});
