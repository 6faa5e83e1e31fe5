import { drawnFor } from "../../wire/text/initials.ts";
import type { PersonaRecord } from "../store/records.ts";

/** What is drawn for an account without a picture. */
export interface Picture {
  /** In degrees. */
  readonly hue: number;
  readonly initials: string;
}

/** The same as in the dashboard. */
export function pictureOf({ name, email }: Pick<PersonaRecord, "name" | "email">): Picture {
  return drawnFor(name ?? email);
}

/**
 * The picture itself, as a file name such as `~210-41-4c`. Pages of any site may show pictures: one that existed only for an
 * address that was typed in would tell them so.
 */
export function drawnName({ hue, initials }: Picture): string {
  const letters = Array.from(initials, (letter) => letter.codePointAt(0)!.toString(16));
  return `~${[hue, ...letters].join("-")}`;
}

/** The picture of such a name. */
export function readDrawn(name: string): Picture | undefined {
  const [, hue, letters] = /^~(\d{1,3})((?:-[0-9a-f]{1,6}){1,6})$/.exec(name) ?? [];
  if (hue === undefined || letters === undefined) return undefined;
  const codes = letters
    .slice(1)
    .split("-")
    .map((code) => Number.parseInt(code, 16));
  const initials = codes.every((code) => code <= 0x10ffff) ? String.fromCodePoint(...codes) : "";
  return /^[\p{L}\p{N}\p{M}?]+$/u.test(initials) ? { hue: Number(hue), initials } : undefined;
}
