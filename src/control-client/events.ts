import { chunksOf, type FetchResponse } from "../wire/http/fetch.ts";
import type { AnswerOf } from "../wire/control/types.ts";

/** Something that happened: a request that was answered, or a sign-in that went a step further. */
export type ServerEvent = AnswerOf<"GET /requests/:id"> | Extract<AnswerOf<"GET /flows/:id">, { resource: "flow" }>;

/** Reads a stream of JSON lines; blank ones keep the connection alive. */
export async function* readEvents({ body }: FetchResponse): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunksOf(body ?? [])) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as ServerEvent;
  }
}
