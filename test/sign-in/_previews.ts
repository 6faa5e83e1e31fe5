/** Entries of a preview instance, and what they are made of, for a comparison that knows nothing of the server's. */
export const PREVIEWS = [
  { entry: "https://*.preview.acme.dev/callback", labels: ["*", "preview", "acme", "dev"], port: "" },
  { entry: "https://app-*-team.acme.dev:8443/callback", labels: ["app-*-team", "acme", "dev"], port: "8443" },
  { entry: "https://web.*.acme.co.uk/callback", labels: ["web", "*", "acme", "co", "uk"], port: "" },
  { entry: "https://*.shop.pages.dev/callback", labels: ["*", "shop", "pages", "dev"], port: "" },
] as const;
type Preview = (typeof PREVIEWS)[number];

/** Labels that a `*` stands for. */
export const GOOD = ["a", "0", "-", "pr-42", "feature-x", "xn--bcher-kva", "preview", "acme", "a--b", "z".repeat(63)];
/** What it does not stand for. */
const BAD = [
  "",
  "a.b",
  ".",
  "a.",
  ".a",
  "*",
  "a_b",
  "a b",
  "a%2eb",
  "%61",
  "a%2f",
  "a%252e",
  "a\u3002b",
  "a\uff0eb",
  "a\uff61b",
  "é",
  "ａ",
  "ß",
  "a\u00adb",
  "a\u200db",
  "a\tb",
  "a\nb",
  "a\0b",
  "a@b",
  "a:b@c",
  "a/b",
  "a/",
  "a?b",
  "a#b",
  "a\\b",
  "a:80",
  "a;b",
  "a,b",
  "a'b",
  "a&b",
  "[a]",
  "A",
  "evil.test/",
  "evil.test?",
  "evil.test#",
  "evil.test\\",
  "evil.test:443/",
  "evil.test/@",
  "evil.test%2f",
  "evil.test%5c@",
  "xn--",
];
const SCHEMES = ["https://", "http://", "HTTPS://", "https:/", "https:\\\\", "//", "javascript://", "wss://", "ftp://"];
const USERS = ["", "x@", "x:y@", "evil.test@", "@", "%40", "evil.test%40"];
const ENDS = ["", ".", "..", ".evil.test", "evil.test", "-evil.test", "%2eevil.test", "@evil.test", "%00", "\u3002"];
const PORTS = ["", ":443", ":8443", ":80", ":08443", ":8443@evil.test"];
const PATHS = [
  "/callback",
  "/callback/",
  "/Callback",
  "//callback",
  "/callback/../callback",
  "/%2e%2e/callback",
  "/c%61llback",
  "/callback%2f",
  "/callback%252f",
  "/callback;x",
  "/callback?",
  "/callback?x=1",
  "/callback#x",
  "/callback\\",
  "\\callback",
  "",
];
export const NONCE = `nonce=${"aZ09-_".repeat(7)}x`;

/** Over 38,000 addresses, from those within the entries to those that only look like it. */
export function corpus(): string[] {
  const whole = { scheme: "https://", user: "", end: "", path: "/callback" };
  const parts: (typeof whole & { preview: Preview; label: string; port: string })[] = [];
  for (const preview of PREVIEWS) {
    const own = preview.port === "" ? "" : `:${preview.port}`;
    for (const label of [...GOOD, ...BAD]) {
      const one = { ...whole, preview, label, port: own };
      for (const scheme of SCHEMES) for (const user of USERS) parts.push({ ...one, scheme, user });
      for (const end of ENDS) for (const port of PORTS) parts.push({ ...one, end, port });
      for (const port of [own, ":443"]) for (const path of PATHS) parts.push({ ...one, port, path });
    }
  }
  const written = parts.map(
    ({ preview, scheme, user, label, end, port, path }) =>
      scheme + user + preview.labels.join(".").replace("*", label) + end + port + path,
  );
  const edited = PREVIEWS.flatMap((preview) => {
    const uri = preview.entry.replace("*", "pr-42");
    return ["@", ".", "/", "\\", "#", "?", "%00", "%2e", "\t", "é", ":", "*", "evil.test", ".evil.test/"].flatMap(
      (piece) =>
        Array.from(uri, (_, at) => [uri.slice(0, at) + piece + uri.slice(at), uri.slice(0, at) + piece]).flat(),
    );
  });
  const nonces = PREVIEWS.flatMap(({ entry }) =>
    GOOD.flatMap((label) => {
      const uri = entry.replace("*", label);
      return [`${uri}?${NONCE}`, `${uri}?${NONCE}x`, `${uri}?x=1&${NONCE}`, `${uri}?${NONCE}&x=1`];
    }),
  );
  return [...new Set([...written, ...edited, ...nonces])];
}

/** The addresses that must be accepted. */
export function within(): string[] {
  return PREVIEWS.flatMap(({ entry }) =>
    GOOD.filter((label) => URL.canParse(entry.replace("*", label))).flatMap((label) => {
      const uri = entry.replace("*", label);
      return [uri, `${uri}?${NONCE}`, uri.replace(/^[^/]*\/\/[^/]*/, (origin) => origin.toUpperCase())];
    }),
  );
}

/** Whether the address that a browser would open is one that the owner of the entries means. */
export function isMeant(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, username, password, hostname, port, pathname, search, hash } = new URL(uri);
  if (protocol !== "https:" || username + password + hash !== "" || pathname !== "/callback") return false;
  if (search !== "" && search !== `?${NONCE}`) return false;
  const labels = hostname.split(".");
  return PREVIEWS.some(
    (preview) =>
      port === preview.port &&
      labels.length === preview.labels.length &&
      preview.labels.every((own, n) => isLabel(labels[n] ?? "", own)),
  );
}

function isLabel(label: string, own: string): boolean {
  const [before = "", behind] = own.split("*");
  if (behind === undefined) return label === own;
  const isLong = label.length > before.length + behind.length;
  return isLong && label.startsWith(before) && label.endsWith(behind) && !/[^a-z0-9-]/.test(label);
}

/** The host as RFC 3986, appendix B, reads it: other programs do not read as browsers do. */
export function hostByRfc(uri: string): string | undefined {
  const [, , , , authority = ""] = /^(([^:/?#]+):)?(\/\/([^/?#]*))?/.exec(uri) ?? [];
  return authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
}
