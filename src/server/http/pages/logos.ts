import type { Provider } from "../../../wire/providers.ts";
import { SIMULATED } from "../../simulator/providers.ts";
import { Html } from "./html.ts";

/** A provider's logo; its name is beside it. */
export function logo(provider: Provider): Html {
  return new Html(`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${SIMULATED[provider].mark}</svg>`);
}
