import type { VNode } from "preact";
import { service } from "../../api/service.ts";
import { refine } from "../../router.ts";
import { Select } from "../../ui/field.tsx";

/** Narrows a view to one instance. */
export function InstanceFilter({ value }: { value: string | undefined }): VNode {
  return (
    <Select
      inline
      label="Instance"
      value={value ?? ""}
      choices={[
        { value: "", text: "All instances" },
        ...service.value.instances.map(({ id, data }) => ({ value: id, text: data.name })),
      ]}
      onChange={(id) => refine({ instance: id })}
    />
  );
}
