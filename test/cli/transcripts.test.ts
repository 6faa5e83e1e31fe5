import { basename } from "node:path";
import { expect, it } from "vitest";
import { played, TRANSCRIPTS } from "./_transcripts.ts";

it.each(TRANSCRIPTS.map((path) => [basename(path, ".txt"), path]))(
  "The transcript %s is what happens",
  async (_, path) => {
    await expect(await played(path)).toMatchFileSnapshot(path);
  },
);
