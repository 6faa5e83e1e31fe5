import { networkInterfaces } from "node:os";

/** Whether this machine has ::1, which containers often lack. */
export const HAS_IPV6 = Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === "::1"));

/** Leaves out the addresses that this machine cannot have, and what is listed with one. */
export function possible<Row extends string | readonly [string, ...unknown[]]>(rows: readonly Row[]): Row[] {
  return rows.filter((row) => HAS_IPV6 || !(typeof row === "string" ? row : row[0]).includes(":"));
}
