import { shellQuoted } from "../../wire/text/shell.ts";
import type { Context } from "../context.ts";

/** A key that can be told from others, and not be used. */
export function mask(key: string): string {
  return `${key.slice(0, 3)}…${key.slice(-4)}`;
}

/** `svc` before the name of a command or a flag; elsewhere, as in "not an svc store", it is the name of the program. */
const COMMAND =
  /(?<!\ban? )\bsvc (?=-|(?:api|completion|dev|doctor|env|exec|help|init|instances|login|logout|logs|open|profiles|serve|sessions|sign-in|store|tokens|users|version|whoami)\b)/g;

/** The commands in a text as they are to be typed here: with `npx` if npm runs this command. */
export function asRun(text: string, { env }: Pick<Context, "env">): string {
  return env["npm_command"] ? text.replace(COMMAND, "npx svc-identity ") : text;
}

/** A word as it is typed in bash, dash, zsh and fish alike. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** @param noun in the singular, of which the plural ends in -s or -ies */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** @param nouns in the plural, which ends in -s or -ies, such as the name of a table */
export function countedAmong(count: number, nouns: string): string {
  return counted(count, nouns.replace(/ies$/, "y").replace(/s$/, ""));
}
