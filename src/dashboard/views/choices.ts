import { ID_TOKEN_OUTCOMES } from "../../wire/outcomes.ts";
import { providerTitle } from "../../wire/providers.ts";
import { visible } from "../../text/harmless.ts";
import { control, type Persona } from "../api/client.ts";
import { service } from "../api/service.ts";
import { useLoad, type Load } from "../api/use-load.ts";
import { choicesOf, type Choice } from "../ui/field.tsx";

/** Every instance. @param all the text of a first choice that means all of them; the same below */
export function instanceChoices(all?: string): Choice[] {
  return choicesOf(
    service.value.instances.map(({ id, data }) => ({ value: id, text: visible(data.name) })),
    all,
  );
}

/** Everything, or what one instance has. */
export function recordChoices(): Choice[] {
  return choicesOf(
    instanceChoices().map(({ value, text }) => ({ value, text: `Users and sessions of ${text}` })),
    "Everything",
  );
}

export function providerChoices(all?: string, providers: readonly string[] = service.value.providers): Choice[] {
  return choicesOf(
    providers.map((value) => ({ value, text: providerTitle(value) })),
    all,
  );
}

/** The outcomes of a sign-in. @param provider only those possible there, for a sign-in through the service */
export function outcomeChoices(all?: string, provider?: string): Choice[] {
  const possible = service.value.outcomes.filter(
    ({ id, providers }) =>
      provider === undefined || (providers.some((name) => name === provider) && !ID_TOKEN_OUTCOMES.includes(id)),
  );
  return choicesOf(
    possible.map(({ id, title }) => ({ value: id, text: title })),
    all,
  );
}

/** The latest personas, as many as a choice can have, in the account picker's order. */
export function usePersonas(): Load<Persona[]> {
  return useLoad(async () => (await control.request("GET /personas", { query: { limit: 200 } })).toReversed(), []);
}

export function usePersonaChoices(all: string): Choice[] {
  const personas = usePersonas().data ?? [];
  return choicesOf(
    personas.map(({ id, data }) => ({ value: id, text: visible(`${data.name ?? id} (${data.email})`) })),
    all,
  );
}
