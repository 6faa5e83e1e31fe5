import type { VNode } from "preact";
import { page } from "../api/client.ts";
import type { RequestEntry } from "../api/records.ts";
import { instanceName, service } from "../api/service.ts";
import type { ServerEvent } from "../api/stream.ts";
import { useLoad } from "../api/use-load.ts";
import { href, location, refine } from "../router.ts";
import { choicesOf, Select } from "../ui/field.tsx";
import { useLiveList, useReconnections } from "../ui/live-list.ts";
import { Empty, Heading, Panel, Pill, Placeholder, Problem, type Tone } from "../ui/parts.tsx";
import { Table, type Column } from "../ui/table.tsx";
import { duration, TimeOfDay } from "../ui/time.tsx";
import { Waiting } from "../ui/waiting.tsx";

const SHOWN = 100;
const METHODS = ["GET", "POST", "DELETE", "PATCH", "PUT"];
/** The control API, which this dashboard asks all the time. */
const OWN = /^\/__svc\/v1\//;
const STATUSES = ["2xx", "3xx", "4xx", "5xx"];

const COLUMNS: readonly Column<RequestEntry>[] = [
  { title: "Time", cell: ({ data }) => <TimeOfDay at={data.at} />, from: 480 },
  { title: "Status", cell: ({ data }) => <Status status={data.status} /> },
  {
    title: "Request",
    cell: ({ data }) => (
      <code>
        <b>{data.method}</b> {data.path}
      </code>
    ),
  },
  { title: "Instance", cell: ({ data }) => <span class="user-text">{instanceName(data.instance)}</span>, from: 960 },
  { title: "Reason", cell: ({ data }) => <span class="clip">{data.reason}</span>, from: 1200 },
  { title: "Took", cell: ({ data }) => duration(data.ms), from: 700, align: "end" },
];

/** Every request that the service answered, the newest first. */
export function Requests(): VNode {
  const { method, status, instance, path, all } = location.value.query;
  const filters = { method, status, instance, path };
  const control = all === "yes" ? undefined : "false";
  const text = JSON.stringify({ ...filters, control });
  const connected = useReconnections();
  const { data, error, reload } = useLoad(
    () => page<RequestEntry>("requests", { ...filters, control, limit: SHOWN }),
    [text, connected],
  );
  const live = useLiveList(
    data?.rows,
    (event) => {
      const entry = asRequest(event);
      return entry && (all === "yes" || !OWN.test(entry.data.path)) && isMatch(entry, filters) ? entry : undefined;
    },
    [text],
  );
  const { rows } = live;
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <>
      <Heading
        title="Requests"
        note="What was asked of the service and what it answered. Keys and tokens are left out as they come in."
      />
      <div class="filters">
        <Select
          inline
          label="Method"
          value={method ?? ""}
          choices={choicesOf(METHODS, "Any method")}
          onChange={(value) => refine({ method: value })}
        />
        <Select
          inline
          label="Status"
          value={status ?? ""}
          choices={choicesOf(STATUSES, "Any status")}
          onChange={(value) => refine({ status: value })}
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
        <input
          class="filter-text"
          type="text"
          data-search
          aria-label="Path contains"
          placeholder="Path contains"
          value={path ?? ""}
          onInput={(event) => refine({ path: event.currentTarget.value })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={all === "yes"}
            onChange={(event) => refine({ all: event.currentTarget.checked ? "yes" : undefined })}
          />
          Control API too
        </label>
      </div>
      <Waiting list={live} noun="request" />
      <Panel flush>
        {error && <Problem error={error} onRetry={reload} />}
        {!data && !error && <Placeholder lines={8} />}
        {data && rows.length === 0 && (
          <Empty icon="requests" title={isFiltered ? "No request matches these filters" : "No requests yet"}>
            Requests to the service appear here as they are answered.
          </Empty>
        )}
        {rows.length > 0 && (
          <Table
            label="Requests"
            columns={COLUMNS}
            rows={rows}
            idOf={({ id }) => id}
            linkOf={({ id }) => href(["requests", id])}
            toneOf={({ data: { status: code } }) => (code >= 500 ? "bad" : undefined)}
          />
        )}
      </Panel>
    </>
  );
}

export function Status({ status }: { status: number }): VNode {
  const tones: Readonly<Record<string, Tone>> = { "2": "good", "3": "info", "4": "warn", "5": "bad" };
  return <Pill tone={tones[String(status)[0]!] ?? "plain"}>{status}</Pill>;
}

function isMatch({ data }: RequestEntry, filters: Readonly<Record<string, string | undefined>>): boolean {
  const { method, status, instance, path } = filters;
  const wanted = service.value.instances.find(({ id }) => id === instance)?.data.subdomain ?? instance;
  return (
    (!method || data.method === method) &&
    (!status || String(data.status)[0] === status[0]) &&
    (!instance || data.instance === wanted) &&
    (!path || data.path.includes(path))
  );
}

function asRequest(event: ServerEvent): RequestEntry | undefined {
  return event.resource === "request" ? (event as unknown as RequestEntry) : undefined;
}
