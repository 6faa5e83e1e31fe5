import { getDefaultResultOrder, setDefaultResultOrder } from "node:dns";
import { afterAll, beforeAll } from "vitest";

/** For tests that see the address of their own requests: on some machines localhost is ::1 first. */
export function useIpv4First(): void {
  const before = getDefaultResultOrder();
  beforeAll(() => setDefaultResultOrder("ipv4first"));
  afterAll(() => setDefaultResultOrder(before));
}
