// `emulate`'s GitHub, from the directory that it was installed in, with as many accounts as svc has in the comparison.
import { pathToFileURL } from "node:url";
import { join } from "node:path";

// By this clock its limit of requests begins again each hour, and a code lives for ten minutes: hours pass between rounds.
const { now } = Date;
let hours = 0;
Date.now = () => now() + hours * 3_600_000;
process.on("SIGUSR2", () => hours++);

const { createEmulator } = await import(pathToFileURL(join(process.cwd(), "node_modules/emulate/dist/api.js")).href);
const { url } = await createEmulator({
  service: "github",
  port: 0,
  seed: {
    github: {
      users: ["ada", "alan", "grace", "mary", "charles", "hedy"].map((login) => ({
        login,
        name: login,
        email: `${login}@acme.test`,
      })),
      oauth_apps: [
        {
          client_id: "bench",
          client_secret: "bench-secret",
          name: "Bench",
          redirect_uris: ["http://localhost:3000/callback"],
        },
      ],
    },
  },
});
process.stdout.write(`${JSON.stringify({ port: Number(new URL(url).port) })}\n`);
