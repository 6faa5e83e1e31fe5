/** PostgreSQL has no year 0: it is 1 BC. */
export function timestampOf(iso: string): string {
  return iso.startsWith("0000") ? `0001${iso.slice(4)} BC` : iso;
}

/** `2026-06-01 12:00:00.5+00`, as the server writes it in UTC, in the form of records. Earlier years have no such form. */
export function isoOf(text: string): string {
  const digits = text.slice(0, 4);
  const year = !text.endsWith(" BC") ? digits : digits === "0001" ? "0000" : `-${digits}`;
  const time = text.slice(11, text.indexOf("+"));
  return `${year}${text.slice(4, 10)}T${time.length === 8 ? `${time}.000` : time.padEnd(12, "0")}Z`;
}
