/** The cookies of one host, as a browser keeps them. Paths and `Secure` don't narrow them. */
export class Cookies {
  readonly #values = new Map<string, string>();

  keep({ headers }: Response, now: number): void {
    for (const line of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^\s*([^=;]+)=([^;]*)/.exec(line) ?? [];
      if (name === "") continue;
      if (isOver(line, now)) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  get list(): { name: string; value: string }[] {
    return [...this.#values].map(([name, value]) => ({ name, value }));
  }

  /** The `Cookie` header; undefined without any. */
  get header(): string | undefined {
    return this.#values.size === 0 ? undefined : this.list.map(({ name, value }) => `${name}=${value}`).join("; ");
  }
}

function isOver(line: string, now: number): boolean {
  const [, maxAge] = /;\s*max-age=(-?\d+)/i.exec(line) ?? [];
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const [, expires] = /;\s*expires=([^;]+)/i.exec(line) ?? [];
  return expires !== undefined && Date.parse(expires) <= now;
}
