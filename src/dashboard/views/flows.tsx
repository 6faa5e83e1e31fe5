import type { VNode } from "preact";
import { page } from "../api/client.ts";
import type { Flow } from "../api/records.ts";
import { service } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { location, refine } from "../router.ts";
import { choicesOf, Select } from "../ui/field.tsx";
import { useLiveList, useReconnections } from "../ui/live-list.ts";
import { Empty, Heading, Panel, Placeholder, Problem } from "../ui/parts.tsx";
import { Waiting } from "../ui/waiting.tsx";
import { asFlow, FlowTable } from "./flows/flow-table.tsx";

const SHOWN = 100;

/** Every sign-in, the newest first, as it happens. */
export function Flows(): VNode {
  const { result, provider, instance, outcome, user } = location.value.query;
  const filters = { result, provider, instance, outcome, user };
  const text = JSON.stringify(filters);
  const connected = useReconnections();
  const { data, error, reload } = useLoad(() => page<Flow>("flows", { ...filters, limit: SHOWN }), [text, connected]);
  const live = useLiveList(
    data?.rows,
    (event) => {
      const flow = asFlow(event);
      return flow && isMatch(flow, filters) ? flow : undefined;
    },
    [text],
  );
  return (
    <>
      <Heading title="Flows" note="Each sign-in from its start to the application, with the reason when it fails." />
      <div class="filters">
        <Select
          inline
          label="Result"
          value={result ?? ""}
          choices={choicesOf(["token", "error", "open"], "Any result")}
          onChange={(value) => refine({ result: value })}
        />
        <Select
          inline
          label="Provider"
          value={provider ?? ""}
          choices={choicesOf(service.value.providers, "Any provider")}
          onChange={(value) => refine({ provider: value })}
        />
        <Select
          inline
          label="Instance"
          value={instance ?? ""}
          choices={[
            { value: "", text: "Any instance" },
            ...service.value.instances.map(({ id, data: { name } }) => ({ value: id, text: name })),
          ]}
          onChange={(value) => refine({ instance: value })}
        />
        <Select
          inline
          label="Requested outcome"
          value={outcome ?? ""}
          choices={[
            { value: "", text: "Any outcome" },
            ...service.value.outcomes.map(({ id, title }) => ({ value: id, text: title })),
          ]}
          onChange={(value) => refine({ outcome: value })}
        />
        <input
          class="filter-text"
          type="text"
          aria-label="User id"
          placeholder="User id"
          data-search
          value={user ?? ""}
          onChange={(event) => refine({ user: event.currentTarget.value.trim() })}
        />
      </div>
      <Waiting list={live} noun="sign-in" />
      <Panel flush>
        {error && <Problem error={error} onRetry={reload} />}
        {!data && !error && <Placeholder lines={8} />}
        {data && live.rows.length === 0 && (
          <Empty
            icon="flows"
            title={Object.values(filters).some(Boolean) ? "No sign-in matches these filters" : "No sign-ins yet"}
          >
            <a href="#/try-it">Try one</a>, or sign in through your application.
          </Empty>
        )}
        {live.rows.length > 0 && <FlowTable label="Flows" flows={live.rows} />}
      </Panel>
    </>
  );
}

function isMatch({ data }: Flow, filters: Readonly<Record<string, string | undefined>>): boolean {
  const { result, provider, instance, outcome, user } = filters;
  return (
    (!result || data.result === result) &&
    (!provider || data.provider === provider) &&
    (!instance || data.instance === instance) &&
    (!outcome || data.requested_outcome === outcome) &&
    (!user || data.user_id === user)
  );
}
