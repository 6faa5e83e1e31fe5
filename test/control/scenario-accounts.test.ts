import { expect, it } from "vitest";
import { startServer } from "../_control.ts";

it.each(["x@", "@acme.test", "new user@acme.test"])(
  "A scenario for %j, which is not an e-mail address, is refused",
  async (as) => {
    const server = await startServer();
    const { status, body } = await server.control("POST /scenarios", { outcome: "success", as });
    expect([status, body]).toEqual([
      400,
      { error: `Bad request: as: no persona has the id "${as}"; give an id or an e-mail address` },
    ]);
  },
);
