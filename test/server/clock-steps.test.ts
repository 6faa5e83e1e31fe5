import { expect, it } from "vitest";
import { setup } from "../_setup.ts";

it("A clock that is set back does not make a session's last sign-in earlier", async () => {
  const { client, clock, acme, signIn } = await setup();
  await signIn("twitter", "ada");
  const [first] = await client(acme).sessions.search("provider:twitter");
  clock.advance(-3_600);
  await signIn("twitter", "ada");
  const [again] = await client(acme).sessions.search("provider:twitter");
  expect(again).toEqual(first);
  clock.advance(7_200);
  await signIn("twitter", "ada");
  const [later] = await client(acme).sessions.search("provider:twitter");
  expect(later!.data.last_signin_at > first!.data.last_signin_at).toBe(true);
});
