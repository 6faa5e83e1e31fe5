/** A browser of which scenarios can speak. */
export interface LabelledBrowser {
  readonly id: string;
  readonly label: string | undefined;
}

/** The cookie's value: all that every process must know of it. */
export function browserCookie({ id, label }: LabelledBrowser): string {
  return label === undefined ? id : `${id}.${Buffer.from(label).toString("base64url")}`;
}

/** The browser that a `Cookie` header names. */
export function browserOf(cookies: string | undefined): LabelledBrowser | undefined {
  const [, id, label] = /(?:^|;\s*)svc_browser=([\w-]{1,64})(?:\.([\w-]{1,512}))?(?:;|$)/.exec(cookies ?? "") ?? [];
  if (id === undefined) return undefined;
  return { id, label: label === undefined ? undefined : Buffer.from(label, "base64url").toString() };
}
