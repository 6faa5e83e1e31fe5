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

/** The address that the choices on an account picker add to, from its page. */
export function requestOn(page: string, address: string | URL): URL {
  const [, request] = /<input [^>]*name="request" value="([^"]*)"/.exec(page) ?? [];
  if (request === undefined) throw new Error(`no account picker: ${page.slice(0, 300)}`);
  return new URL(`?request=${request}`, address);
}
