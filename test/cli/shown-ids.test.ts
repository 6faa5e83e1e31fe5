import { beforeAll, expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { setup, type Service } from "../_setup.ts";

let service: Service;
beforeAll(async () => {
  service = await setup();
});

/** Ids as tables, other columns and people give them to commands that want a whole one. */
it.each([
  ["users get 024f21ba", "svc users list --output wide"],
  ["users get 024f21ba…", "svc users list --output wide"],
  ["users get ada", "svc users search --name ada"],
  ["users delete 024f21ba --yes", "svc users list --output wide"],
  ["sessions get d3851a6e", "svc sessions list --output wide"],
  ["sessions get svc_session_d3851a6e", "svc sessions list --output wide"],
  [
    "sessions get 5a8134b0-df71-425a-b355-e4bd95f3e7b1",
    "svc sessions search id:5a8134b0-df71-425a-b355-e4bd95f3e7b1. Of a user: ",
  ],
  ["sessions get ada", "A session id begins with svc_session_."],
  ["dev sessions revoke nope", "A session id begins with svc_session_."],
])("svc %s exits with 2 and says where whole ids are", async (line, hint) => {
  const { code, stderr, requests } = await runCli(line.split(" "), { service });
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain(hint);
});
