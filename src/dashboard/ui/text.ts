import { isProvider, providerTitle } from "../../wire/providers.ts";

/** A recorded reason as people read it, `GitHub reported access_denied.` for `github reported access_denied`. */
export function sentence(reason: string): string {
  const [first = ""] = reason.split(" ", 1);
  // A name of the protocol, such as `redirect_uri`, keeps its spelling.
  const name = first.replace(/:$/, "");
  const start = isProvider(name) ? providerTitle(name) : /_|:$/.test(first) ? name : capitalized(name);
  return `${start}${reason.slice(name.length)}${/[.!?]$/.test(reason) ? "" : "."}`;
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** `1,000 users`, `1 user`. @param noun in the singular */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
