import { hash } from "node:crypto";

/** A UUID that follows from a name: the same name gives the same one (RFC 9562, 5.8). */
export function namedUuid(name: string): string {
  const hex = hash("sha256", `svc ${name}`, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
