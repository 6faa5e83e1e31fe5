import { visible } from "../../../wire/visible.ts";
import { service } from "../../api/service.ts";
import type { Choice } from "../../ui/field.tsx";

/** Every instance, to choose one from. @param all the text of a first choice that stands for all of them */
export function instanceChoices(all?: string): Choice[] {
  return [
    ...(all === undefined ? [] : [{ value: "", text: all }]),
    ...service.value.instances.map(({ id, data }) => ({ value: id, text: visible(data.name) })),
  ];
}
