import { locationOf } from "./_answers.ts";
import { FRONT, type Service } from "./_setup.ts";

/** Headers that a page cannot make a browser omit. */
export const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
};

/** Keeps cookies like a browser: by host and path, until they are removed. */
export class CookieJar {
  readonly #service: Service;
  readonly #cookies = new Map<string, { host: string; path: string; pair: string }>();

  constructor(service: Service) {
    this.#service = service;
  }

  async get(address: string): Promise<Response> {
    const { href, hostname, pathname } = new URL(address, FRONT);
    const cookie = [...this.#cookies.values()]
      .filter(({ host, path }) => host === hostname && pathname.startsWith(path))
      .map(({ pair }) => pair)
      .join("; ");
    const response = await this.#service.fetch(href, { headers: { ...BROWSER, ...(cookie && { cookie }) } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const path = attributes.find((attribute) => attribute.startsWith("Path="))!.slice("Path=".length);
      const name = pair.slice(0, pair.indexOf("="));
      if (attributes.includes("Max-Age=0")) this.#cookies.delete(name);
      else this.#cookies.set(name, { host: hostname, path, pair });
    }
    return response;
  }

  /** Follows redirects up to the first address with the path, which is not requested. */
  async follow(address: string, until: string): Promise<URL> {
    let url = new URL(address, FRONT);
    do url = locationOf(await this.get(url.href));
    while (url.pathname !== until);
    return url;
  }

  get cookies(): string[] {
    return [...this.#cookies.values()].map(({ pair }) => pair);
  }
}
