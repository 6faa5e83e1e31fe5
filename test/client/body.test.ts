import { expect, it } from "vitest";
import { Body } from "../../src/client/body.ts";

it.each([
  ["before it is read", true],
  ["while it is read", false],
])("A response body over the limit is refused, and the rest is not received, if it arrives %s", async (_, isEarly) => {
  const stopped: Error[] = [];
  const body = new Body((reason) => stopped.push(reason));
  const arrive = (): void => {
    body.push(Buffer.from("four"));
    body.end();
  };
  if (isEarly) arrive();
  const reading = body.text(3);
  if (!isEarly) arrive();
  await expect(reading).rejects.toThrow("longer than 3 bytes");
  expect(stopped.map(({ name }) => name)).toEqual(["BodyTooLong"]);
});
