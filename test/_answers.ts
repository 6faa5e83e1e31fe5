export type Answered = [status: number, body: unknown];

/** An answer's status and its JSON body; `""` for an empty one. */
export async function answer(response: Response): Promise<Answered> {
  const text = await response.text();
  return [response.status, text === "" ? "" : JSON.parse(text)];
}

/** Where a redirect leads. */
export function locationOf(response: Response): URL {
  return new URL(response.headers.get("location") ?? "about:blank");
}
