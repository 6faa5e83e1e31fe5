import { isUnavailable, isUnsent } from "../../client/retry.ts";
import { systemCode } from "../../wire/http/address.ts";
import { trimSlash } from "../../wire/http/request.ts";
import type { Context } from "../context.ts";
import { startSpinner } from "../output/progress.ts";
import { waitMs } from "../quantities.ts";
import { exchange } from "./exchange.ts";

type Place = Pick<Context, "env" | "network"> & Partial<Pick<Context, "stderr">>;

const EVERY_MS = 250;
const TIMEOUT_MS = 5_000;

/** With `--wait`, waits until a service answers, before the first request of a command. What it answers is the command's to judge. */
export async function waitFor(place: Place, address: string): Promise<void> {
  if (waitMs(place.env) === 0) return;
  const url = `${trimSlash(address)}/.well-known/openid-configuration`;
  await poll(place, new URL(url).host, async () => {
    try {
      const { response } = await exchange(place, url, { timeoutMs: TIMEOUT_MS });
      return !isUnavailable(response.status);
    } catch (error) {
      const code = systemCode((error as Error).cause);
      // The name of a container is not found until it starts. What will not pass, such as a wrong certificate, is not waited for.
      return !(isUnsent(code) || code === "ENOTFOUND" || (error as { code?: string }).code === "timeout");
    }
  });
}

/** Asks once, and as often as `--wait` allows, until it is up. */
export async function poll(place: Place, host: string, isUp: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + waitMs(place.env);
  const stopSpinner = startSpinner(place, host);
  try {
    while (!(await isUp()) && performance.now() + EVERY_MS <= until)
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  } finally {
    stopSpinner();
  }
}
