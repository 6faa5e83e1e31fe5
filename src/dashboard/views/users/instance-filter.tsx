import type { VNode } from "preact";
import { service } from "../../api/service.ts";
import { refine } from "../../router.ts";
import { Select } from "../../ui/field.tsx";
import { instanceChoices } from "../choices.ts";

/** Selects the instance whose users or sessions a view lists. */
export function InstanceFilter({ value }: { value: string | undefined }): VNode {
  return (
    <Select
      inline
      label="Instance"
      value={value ?? service.value.instances[0]?.id ?? ""}
      choices={instanceChoices()}
      onChange={(id) => refine({ instance: id })}
    />
  );
}
