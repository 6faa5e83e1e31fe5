import { extname, resolve } from "node:path";
import type { ControlClient } from "../../../control-client/index.ts";
import { flowMarkdown } from "../../../wire/control/flows.ts";
import { MAX_PAGE_SIZE } from "../../../wire/http/request.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { writeNewFile } from "../../files.ts";
import { printJson, say } from "../../output/text.ts";
import type { FlowEvent } from "./wanted.ts";

type Read = (control: ControlClient, id: string) => Promise<string>;

/** As the dashboard shares a sign-in: for an issue, for tools that read HTTP archives, for programs. */
const FORMATS: Readonly<Record<string, Read>> = {
  ".md": async (control, id) => {
    const flow = await flowOf(control, id);
    return flowMarkdown(flow, await instanceName(control, flow.data.instance));
  },
  ".har": async (control, id) =>
    indented(await control.request("GET /flows/:id", { params: { id }, query: { format: "har" } })),
  ".json": async (control, id) => indented(await flowOf(control, id)),
};

/** Reads how `--output-file` is to be written. @throws {CliError} for a name without one of the endings */
export function shareFormat(file: string): Read {
  const read = FORMATS[extname(file).toLowerCase()];
  if (read) return read;
  const endings = Object.keys(FORMATS).join(", ");
  throw new UsageError(`--output-file: "${file}" ends in none of ${endings}.`, "The ending says the format.");
}

/** Writes one sign-in to a new file. */
export async function share(
  context: Context,
  { control, id, file, json }: { control: ControlClient; id: string; file: string; json: boolean },
): Promise<void> {
  const path = resolve(context.cwd, file);
  const text = await shareFormat(file)(control, id);
  await writeNewFile(path, (handle) => handle.writeFile(text));
  if (json) printJson(context, { file: path });
  say(context, `Wrote the sign-in ${id} to ${file}. Secrets are not in it; addresses and names are.`);
}

/** Empty if it was deleted. */
async function instanceName(control: ControlClient, id: string | null): Promise<string> {
  const instances = await control.request("GET /instances", { query: { limit: MAX_PAGE_SIZE } });
  return instances.find((each) => each.id === id)?.data.name ?? "";
}

async function flowOf(control: ControlClient, id: string): Promise<FlowEvent> {
  return (await control.request("GET /flows/:id", { params: { id } })) as FlowEvent;
}

function indented(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
