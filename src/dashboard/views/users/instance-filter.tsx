import type { VNode } from "preact";
import { preferredInstance } from "../../api/service.ts";
import { refine } from "../../router.ts";
import { Select } from "../../ui/field.tsx";
import { instanceChoices } from "../choices.ts";

/** Selects the instance whose users or sessions a view lists. Other lists and forms then begin with it. */
export function InstanceFilter({ value }: { value: string }): VNode {
  return (
    <Select
      inline
      label="Instance"
      value={value}
      choices={instanceChoices()}
      onChange={(id) => {
        preferredInstance.value = id;
        refine({ instance: id });
      }}
    />
  );
}
