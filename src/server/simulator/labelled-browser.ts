import { BROWSER_COOKIE } from "../../wire/sign-in/account-choices.ts";
import type { ReadCookie } from "../cookies.ts";

/** A browser that scenarios can be limited to. */
export interface LabelledBrowser {
  readonly id: string;
  readonly label: string | undefined;
}

/** The value of a labelled browser's cookie, which contains everything about it, for every process. */
export function labelledBrowserValue({ id, label }: LabelledBrowser): string {
  return label === undefined ? id : `${id}.${Buffer.from(label).toString("base64url")}`;
}

/** The labelled browser that sent a request. */
export function readLabelledBrowser(cookie: ReadCookie): LabelledBrowser | undefined {
  const value = cookie(BROWSER_COOKIE);
  const [, id, label] = /^([\w-]{1,64})(?:\.([\w-]{1,512}))?$/.exec(value ?? "") ?? [];
  if (id === undefined) return undefined;
  return { id, label: label === undefined ? undefined : Buffer.from(label, "base64url").toString() };
}
