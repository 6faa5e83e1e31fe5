import { isUuid } from "../../wire/ids.ts";
import { durationMs } from "../../wire/text/time.ts";
import { visible } from "../../wire/text/harmless.ts";
import { control, type Clock, type User } from "../api/client.ts";
import { service, setClock, revokeSessionsOf, runSignIn } from "../api/service.ts";
import { go, goTo, href } from "../router.ts";
import type { VNode } from "preact";
import { notify } from "../ui/button.tsx";
import { FormDialog, openDialog } from "../ui/dialog.tsx";
import { counted, nameIn, WORD } from "../ui/text.ts";
import { switchZone, wallTime, zone, zoneName } from "../ui/values.tsx";
import { VIEWS } from "./views.ts";

/** An entry of the palette: a place to go to, or something that it does at once. */
export interface Command {
  readonly name: string;
  readonly hint: string;
  /** Other words for it. */
  readonly keywords?: string;
  /** A rejection is shown. */
  readonly run: () => unknown;
}

const to = (name: string, hint: string, address: string, keywords?: string): Command => ({
  name,
  hint,
  run: () => goTo(address),
  ...(keywords !== undefined && { keywords }),
});

/** What needs no search. */
export function fixedCommands(): Command[] {
  const { instances, state } = service.value;
  const clock = state?.clock;
  const section = (name: string): string => href(["control"], { section: name });
  return [
    ...VIEWS.map(({ title, path }) => to(title, "view", href([path]))),
    { name: "Run a sign-in", hint: "action", keywords: "try start", run: signInAndShow },
    to("New user", "action", href(["users"], { new: "yes" }), "create add"),
    to("New instance", "action", href(["instances"], { new: "yes" }), "create add application"),
    ...(clock?.mode === "frozen"
      ? [changeClock("Resume the clock", () => control.request("POST /clock/resume"), "unfreeze start")]
      : [changeClock("Freeze the clock", () => control.request("POST /clock/freeze"), "stop pause")]),
    changeClock("Advance the clock by 1 hour", () => advance("1h"), "forward move"),
    changeClock("Advance the clock until tokens expire", () => advance("3601s"), "+1h expired"),
    ...(clock && clock.mode !== "real"
      ? [changeClock("Set the clock back to real time", () => control.request("POST /clock/reset"), "reset")]
      : []),
    {
      name: zone.value === "utc" ? "Show times in local time" : "Show times in UTC",
      hint: "action",
      keywords: "timezone zone utc",
      run: switchZone,
    },
    to("Move the clock", "action", section("clock"), "time set"),
    to("Set up a scenario", "action", section("scenarios"), "fail error outcome"),
    to("Save a snapshot", "action", section("data"), "backup restore reset"),
    to("Edit personas", "action", section("personas"), "accounts people"),
    to("Verify a token", "action", href(["try-it"], { section: "token" }), "decode jwt claims"),
    ...instances.map(({ id, data }) => to(visible(data.name), "instance", href(["instances", id]), data.subdomain)),
  ];
}

/** Moves the clock by what is typed, such as `+2h` or `90 m`. */
export function advanceCommand(text: string): Command | undefined {
  const by = text
    .replace(/^(?:\+|advance)/i, "")
    .replaceAll(/\s/g, "")
    .toLowerCase();
  if (durationMs(by) === undefined) return undefined;
  return changeClock(`Advance the clock by ${by}`, () => advance(by), "");
}

export function userCommands(users: readonly User[]): Command[] {
  return users.flatMap((user) => {
    const [name, email] = [visible(user.data.name), visible(user.data.email)];
    return [
      to(name, email, href(["users", user.id], { instance: user.data.instance }), email),
      {
        name: `Revoke all sessions of ${name}`,
        hint: "action",
        keywords: email,
        run: () => openDialog(askToRevoke(user)),
      },
    ];
  });
}

/** Where the rest of a search is. */
export function searchCommand(text: string): Command | undefined {
  if (isUuid(text.toLowerCase())) return to(text, "user", href(["users", text.toLowerCase()]));
  const query = nameIn(text) ?? wordQuery(text);
  return query === undefined ? undefined : to(`Search users for ${text}`, "search", href(["users"], { query }));
}

/** The parameters that find the users of a text. Undefined if it can't be a part of a name or an address. */
export function userSearch(text: string): { query?: string; name?: string } | undefined {
  const name = nameIn(text);
  if (name !== undefined) return { name };
  if (!WORD.test(text)) return undefined;
  return text.includes("@") ? { query: `email:${text}*` } : { name: text };
}

function wordQuery(text: string): string | undefined {
  if (text.includes("@") && !text.includes(" ")) return `email:${text}`;
  return WORD.test(text) ? `name:*${text}*` : undefined;
}

function advance(by: string): Promise<Clock> {
  return control.request("POST /clock/advance", { body: { by } });
}

function changeClock(name: string, change: () => Promise<Clock>, keywords: string): Command {
  const run = async (): Promise<void> => {
    const clock = await change();
    setClock(clock);
    notify(
      "good",
      clock.mode === "real"
        ? "The clock shows real time"
        : `It is ${wallTime(clock.now).slice(0, 19)} ${zoneName(clock.now)}`,
    );
  };
  return { name, hint: "action", keywords, run };
}

async function signInAndShow(): Promise<void> {
  go(["flows", (await runSignIn()).flow_id]);
}

function askToRevoke(user: User): VNode {
  const revoke = async (): Promise<void> =>
    notify("good", `${counted(await revokeSessionsOf(user), "session")} of ${user.data.email} revoked`);
  return (
    <FormDialog
      title={`Revoke all sessions of ${visible(user.data.email)}?`}
      action="Revoke all"
      kind="danger"
      testId="confirm"
      onSubmit={revoke}
    >
      <p>Tokens that were issued go on verifying until they expire.</p>
    </FormDialog>
  );
}
