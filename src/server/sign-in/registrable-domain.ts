import { getDomain } from "tldts";

/** Whether a host and all names under it belong to who registered its domain, by the Public Suffix List. */
export function belongsToOne(host: string): boolean {
  const isPrivateToo = { allowPrivateDomains: true };
  const domain = getDomain(host, isPrivateToo);
  return domain !== null && getDomain(`x.${host}`, isPrivateToo) === domain;
}
