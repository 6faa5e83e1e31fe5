const SECRET_KEY = /sk_[^\s"'<>&,;\\]+/g;
/** With or without the parts of a token behind it: a text of beginnings alone is not searched again from each of them. */
const TOKEN = /eyJ[\w-]+(\.[\w-]+(?:\.[\w-]*)?)?/g;

/** Words from outside without keys and tokens: some services, and most debug pages, repeat what they were sent. */
export function masked(text: string): string {
  return text
    .replace(SECRET_KEY, "sk_…")
    .replace(TOKEN, (found, rest?: string) => (rest === undefined ? found : "eyJ…"));
}
