import type { Command } from "commander";
import { isUuid } from "../../wire/ids.ts";
import { asTerms } from "../../wire/search/query-words.ts";
import { commandPath } from "../command-names.ts";
import { quoted } from "../output/text.ts";
import { INSTEAD, MISSING_OPTIONS, RESPELLED } from "./guessed-options.ts";
import { rowFor } from "./guesses.ts";
import { childOf, optionsOf, type Place } from "./tree.ts";

/** What a query is called, here and elsewhere. */
const QUERY = /^(?:--query|--filter|--where|--search|--selector|--field-selector|-q|-l)$/;

/** @returns undefined if nothing here does the same. What is suggested never finds more than what was typed */
export function hintForOption(option: string, { command, rest }: Place): string | undefined {
  const path = commandPath(command).split(" ").slice(1).join(" ");
  const nouns = path.startsWith("sessions") ? ["sessions", "users"] : ["users", "sessions"];
  const searches = nouns.map((noun) => childOf(childOf(rootOf(command), noun)!, "search")!);
  const line = lineFor(/^(?:users|sessions)\b(?! delete)/.test(path) ? [command, ...searches] : [command], rest);
  if (line !== undefined) return `Use: ${line}`;
  const own = INSTEAD.find(
    ([commands, options]) => commands.test(path) && [option, ...rest].some((one) => options.test(one)),
  );
  if (own) return own[2];
  const hint = rowFor(MISSING_OPTIONS, option);
  // A command without this option may not have the other one either.
  const [named] = /--[\w-]+/.exec(hint?.split("svc ")[0] ?? "") ?? [];
  return named === undefined || optionsOf(command).some(({ long }) => long === named) ? hint : undefined;
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

export function isMailAddress(word: string): boolean {
  return /^[^\s@:=<>*]+@[^\s@:=<>*]+$/.test(word);
}

function isUser(word: string): boolean {
  return isMailAddress(word) || isUuid(word);
}

function isTerm(word: string): boolean {
  return /^-?\w+(?::|[<>]=?)\S/.test(word);
}

function isFlag(word: string): boolean {
  return /^-./.test(word) && !isTerm(word);
}

/** The line of the first command that takes all that was typed behind another, in its own words. */
export function lineFor(commands: readonly Command[], typed: readonly string[]): string | undefined {
  for (const command of commands) {
    const words = respelled(command, typed);
    if (words) return [commandPath(command), ...words.map(quoted)].join(" ");
  }
  return undefined;
}

function respelled(command: Command, typed: readonly string[]): string[] | undefined {
  const its = abilitiesOf(command);
  const words: string[] = [];
  const terms: string[] = [];
  for (let i = 0; i < typed.length; i += 1) {
    const word = typed[i]!;
    const [, flag = word, given] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    const meant = isFlag(word) ? ofFlag(its, flag, given ?? typed[i + 1]) : ofOperand(its, word);
    if (!meant) return undefined;
    if (meant.takesValue && given === undefined) i += 1;
    (isTerm(meant.words[0]!) && its.takesTerms ? terms : words).push(...meant.words);
  }
  if (terms.length === 0 || its.isSearch) return [...terms, ...words];
  // What a query finds is looked at first.
  const kept = words.filter((word) => !/^(?:--dry-run|-n|--yes|-y)$/.test(word));
  const hasOperand = kept.some((word, i) => !isFlag(word) && !its.optionOf(kept[i - 1] ?? "")?.required);
  return hasOperand ? undefined : [...kept, "--query", terms.join(" "), "--dry-run"];
}

type Abilities = ReturnType<typeof abilitiesOf>;

function abilitiesOf(command: Command) {
  const options = optionsOf(command);
  const optionOf = (flag: string) => options.find(({ long, short }) => long === flag || short === flag);
  const argument = command.registeredArguments[0]?.name();
  const isSearch = argument === "term";
  const takesTerms = isSearch || optionOf("--query") !== undefined;
  return { optionOf, argument, isSearch, takesTerms, noun: command.parent?.name() };
}

/** The words of a command for a word of another, and whether the next word is among them. */
interface Meant {
  readonly words: readonly string[];
  readonly takesValue?: boolean;
}

function ofOperand({ argument, isSearch, takesTerms, noun }: Abilities, word: string): Meant | undefined {
  const term = asTerms(word);
  if (takesTerms && isTerm(term)) return { words: [term] };
  if (isSearch) return { words: [!word.includes("@") ? "--name" : noun === "users" ? "--email" : "--user", word] };
  // A token is not repeated.
  return argument === undefined || /^eyJ|^-./.test(word) ? undefined : { words: [word] };
}

function ofFlag(its: Abilities, flag: string, value: string | undefined): Meant | undefined {
  const option = its.optionOf(flag);
  const rows = RESPELLED.filter(([names, to]) => names.split("|").includes(flag) && (!option || to.startsWith(flag)));
  for (const [, to, values = /^[^-]/] of rows) {
    const takesValue = to.includes("<value>");
    if (takesValue && !values.test(value ?? "")) continue;
    const words = to.split(" ").map((one) => one.replace("<value>", () => value!));
    if (isTaken(its, to, words)) return { words, takesValue };
  }
  if (its.takesTerms && QUERY.test(flag)) {
    const meant = value === undefined || isFlag(value) ? undefined : ofOperand(its, value);
    return meant && (its.isSearch || isTerm(meant.words[0]!)) ? { ...meant, takesValue: true } : undefined;
  }
  if (option?.required) return value === undefined ? undefined : { words: [flag, value], takesValue: true };
  return option && { words: [flag] };
}

/** Whether a command takes the words of a row. */
function isTaken(its: Abilities, row: string, [first = "", value = ""]: readonly string[]): boolean {
  if (row === "<value>") return (its.argument === "user" || its.argument === "email") && isUser(first);
  if (isTerm(first)) return its.takesTerms;
  const option = its.optionOf(first);
  return option !== undefined && (option.argChoices?.includes(value) ?? true);
}
