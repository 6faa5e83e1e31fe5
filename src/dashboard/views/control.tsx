import type { VNode } from "preact";
import { location, refine } from "../router.ts";
import { Heading } from "../ui/parts.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ClockPanel } from "./control/clock.tsx";
import { DataPanel } from "./control/data.tsx";
import { PersonasPanel } from "./control/personas.tsx";
import { ScenariosPanel } from "./control/scenarios.tsx";

const SECTIONS = { scenarios: "Scenarios", personas: "Personas", clock: "Clock", data: "Data" } as const;
type Section = keyof typeof SECTIONS;

/** Controls the outcomes of sign-ins, the clock and the records. */
export function Control(): VNode {
  const wanted = location.value.query["section"] as Section | undefined;
  const section: Section = wanted && wanted in SECTIONS ? wanted : "scenarios";
  return (
    <>
      <Heading title="Control" note="Whatever can happen to a sign-in in production can be made to happen here." />
      <Tabs label="Sections" titles={SECTIONS} chosen={section} onChoose={(name) => refine({ section: name })}>
        {section === "scenarios" && <ScenariosPanel />}
        {section === "personas" && <PersonasPanel />}
        {section === "clock" && <ClockPanel />}
        {section === "data" && <DataPanel />}
      </Tabs>
    </>
  );
}
