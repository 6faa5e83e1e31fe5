/** A route found for a path, with the parameters that the path gives it. */
export interface Match<Route extends string> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds routes such as `GET /users/:id` by method and path; a path that is written out goes before a parameter. */
export class RouteMatcher<Route extends string> {
  readonly #routes: readonly { route: Route; method: string; parts: readonly string[] }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes
      .map((route) => {
        const [method = "", path = ""] = route.split(" ");
        return { route, method, parts: path.split("/") };
      })
      .toSorted((a, b) => parametersIn(a.parts) - parametersIn(b.parts));
  }

  find(method: string, path: string): Match<Route> | undefined {
    const parts = path.split("/");
    for (const candidate of this.#routes) {
      const params = candidate.method === method ? fit(candidate.parts, parts) : undefined;
      if (params) return { route: candidate.route, params };
    }
    return undefined;
  }

  /** The methods that a path takes; empty: there is no such path. */
  methods(path: string): string[] {
    const parts = path.split("/");
    return [...new Set(this.#routes.filter((candidate) => fit(candidate.parts, parts)).map(({ method }) => method))];
  }
}

function parametersIn(parts: readonly string[]): number {
  return parts.filter((part) => part.startsWith(":")).length;
}

function fit(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, wanted] of pattern.entries()) {
    if (wanted.startsWith(":")) params[wanted.slice(1)] = parts[i]!;
    else if (wanted !== parts[i]) return undefined;
  }
  return params;
}
