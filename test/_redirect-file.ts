import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "./_files.ts";

/** Where a command writes the file that it gives to a browser. */
export const configDirectory = (): { SVC_CONFIG_DIR: string } => ({
  SVC_CONFIG_DIR: join(temporaryDirectory(), "svc"),
});

/** A browser that is given a file, and goes to where the file leads. */
export function following(visit: (url: string) => Promise<void>): (file: string) => Promise<void> {
  return async (file) => {
    const page = await readFile(fileURLToPath(file), "utf8");
    const [, target = ""] = /content="0;url=([^"]*)"/.exec(page) ?? [];
    await visit(target.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
  };
}
