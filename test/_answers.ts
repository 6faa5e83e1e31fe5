export type Answered = [status: number, body: unknown];

/** An answer's status and its JSON body; `""` for an empty one. */
export async function answer(response: Response): Promise<Answered> {
  const text = await response.text();
  return [response.status, text === "" ? "" : JSON.parse(text)];
}

/** A response's headers except its unique request id. */
export function headersOf({ headers }: Response): [name: string, value: string][] {
  return [...headers].filter(([name]) => name !== "request-id");
}

/** The target of a redirect. */
export function locationOf(response: Response): URL {
  return new URL(response.headers.get("location") ?? "about:blank");
}
