export type Answered = [status: number, body: unknown];

/** An answer's status and its JSON body; `""` for an empty one. */
export async function answer(response: Response): Promise<Answered> {
  const text = await response.text();
  return [response.status, text === "" ? "" : JSON.parse(text)];
}

/** An answer's headers, but for the id that every answer has of its own. */
export function headersOf({ headers }: Response): [name: string, value: string][] {
  return [...headers].filter(([name]) => name !== "request-id");
}

/** Where a redirect leads. */
export function locationOf(response: Response): URL {
  return new URL(response.headers.get("location") ?? "about:blank");
}
