import { beforeEach } from "vitest";
import { temporaryDirectory } from "./_files.ts";

export let directory: string;

/** Gives each test of a file a directory. */
export function useDirectory(): void {
  beforeEach(() => {
    directory = temporaryDirectory();
  });
}
