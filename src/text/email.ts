import { urlFrom } from "../http/address.ts";
/** The maximum length of an e-mail address (RFC 5321, 4.5.3.1.3, without the angle brackets). */
export const MAX_EMAIL_LENGTH = 254;

/**
 * An e-mail address in its stored form. Dots before the @ may stand anywhere: some providers gave out such addresses. Free
 * of what not every dialect of regular expressions has.
 */
export const EMAIL =
  /^[^\s@]+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

/** Control characters, and others that no one sees. */
const INVISIBLE = /\p{C}/u;

/** Whether text in the stored form is an e-mail address. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text) && !INVISIBLE.test(text);
}

/**
 * An e-mail address as it is stored: in NFKC, its domain in ASCII. Undefined if the text is not one. The stored form is what
 * is checked: an address with a full-width @ must not become another address afterwards.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = storedForm(text);
  return isEmail(email) ? email : undefined;
}

/** Text with an @ in NFKC, and its domain in ASCII if that has such a form. Other text as it is. */
export function storedForm(text: string): string {
  const normal = text.normalize("NFKC");
  const at = normal.lastIndexOf("@") + 1;
  if (at === 0) return text;
  return normal.slice(0, at) + (asciiDomain(normal.slice(at)) ?? normal.slice(at));
}

/**
 * A domain with each label beyond ASCII as DNS has it, `xn--…` (RFC 5890, 2.3.2.1), and every other label as it is. Undefined
 * if there is no such form.
 * @param domain in NFKC
 */
function asciiDomain(domain: string): string | undefined {
  const labels = domain.split(".").map((label) => (BEYOND_ASCII.test(label) ? asciiLabel(label) : label));
  return labels.includes(undefined) ? undefined : labels.join(".");
}

const BEYOND_ASCII = /[\u0080-\u{10ffff}]/u;

/**
 * What a URL's host decodes, drops or ends at: `%2E`, `/`, a soft hyphen. With it, a label would become another name. And ẞ,
 * which is ss on Node 20 and ß on Node 26.
 */
// eslint-disable-next-line no-control-regex
const CHANGED_BY_URL = /[\u0000-,./:-@[-`{-\u007f\u1e9e\p{C}\p{Default_Ignorable_Code_Point}]/u;

/**
 * The URL standard has the conversion (UTS #46) in every runtime. Its versions disagree about some capitals, such as ẞ: what
 * is not the same in small letters is refused. So is what becomes a name without `xn--`: it is that of another domain.
 */
function asciiLabel(label: string): string | undefined {
  if (CHANGED_BY_URL.test(label)) return undefined;
  const [host, small] = [label, label.toLowerCase()].map(hostOf);
  return host === small && /^xn--[a-z0-9-]+$/.test(host ?? "") ? host : undefined;
}

function hostOf(label: string): string | undefined {
  return urlFrom(`http://${label}`)?.hostname;
}
