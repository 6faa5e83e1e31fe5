// What a route of svc is compared with: one of h3 that reads the same request and answers the same JSON.
import { H3, HTTPError, readBody, toNodeHandler } from "h3";
import { listen } from "listhen";

const { user, token, verified } = JSON.parse(process.argv[2]);
const users = new Map([[user.id, user]]);
const tokens = new Map([[token, verified]]);

const app = new H3()
  .get("/api/v1/users/:id", (event) => {
    const found = users.get(event.context.params.id);
    if (!found) throw HTTPError.status(404, "User not found");
    return found;
  })
  .post("/api/v1/tokens/verify", async (event) => {
    const body = await readBody(event);
    const found = tokens.get(body.token);
    if (!found) throw HTTPError.status(401, "Token invalid");
    return found;
  });

const { address } = await listen(toNodeHandler(app), { port: 0, hostname: "127.0.0.1", showURL: false });
process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
