import { isFrontOf, originOf, type Sourced } from "../choices.ts";
import type { ControlClient } from "../../control-client/index.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { requireKey, verifyKeyWithService } from "./client.ts";
import type { RunningServerFile } from "./server-file.ts";
import { type Target } from "./sources.ts";
import { nameOf, notIts, OPERATOR, type Place } from "./server-here.ts";
import { refuseOther } from "./target.ts";

/** An instance, and which choice names it. */
export interface Named {
  readonly id: string;
  readonly subdomain: string;
  readonly publishable_key: string;
  readonly url: string;
  readonly secret_key?: string;
  readonly by: string;
}

/**
 * The instance of a server that an explicit target names: by a word, by an address or by a key. Undefined if it names the
 * server alone.
 * @param argument names an instance, too
 * @throws {UsageError} if one of them is another server's, or two are of two instances
 */
export async function chosenAt(
  context: Context,
  client: ControlClient,
  place: Place & { readonly server?: RunningServerFile | undefined },
  explicit: Target,
  argument: Sourced | undefined,
): Promise<Named | undefined> {
  const { base_url, secret_key, instance, publishable_key } = explicit;
  const instances = place.server?.instances ?? (await instancesOf(client));
  const found: Named[] = [];
  const isAtFront = base_url && isFrontOf(place.url, base_url.value);
  if (base_url) {
    const byAddress = instances.find(({ url }) => originOf(url) === originOf(base_url.value));
    if (byAddress) found.push({ ...byAddress, by: nameOf(base_url.source, explicit) });
    else if (!isAtFront)
      throw new UsageError(
        `${nameOf(base_url.source, explicit)} names ${base_url.value}, and no instance of ${place.url} (${place.by}) has this address. Nothing was done.`,
        `Name one server alone. ${OPERATOR}`,
      );
  }
  // The variables of a server's first instance are those of the server as well: an argument may name another instance.
  const isForServer = argument !== undefined && isAtFront;
  const key = secret_key && !isForServer ? await keyOf(context, secret_key) : undefined;
  if (key !== undefined) {
    const id = place.server || !mustKnow(context, found) ? undefined : await idByKey(context, explicit);
    const byKey = instances.find((one) => (place.server ? one.secret_key === key : one.id === id));
    if (byKey) found.push({ ...byKey, by: secret_key!.source });
    else if (place.server ?? id)
      throw notIts(place, secret_key!.source, "is the key of another service, or was replaced", OPERATOR);
  }
  // Where nothing else names an instance: it may be one that was replaced.
  const last = found.length === 0 && !isForServer ? publishable_key : undefined;
  for (const word of [instance ?? last, argument]) {
    if (!word) continue;
    const { id } = await client.request("GET /instances/:id", { params: { id: idIn(instances, word.value) } });
    const byWord = instances.find((one) => one.id === id) ?? (await instancesOf(client)).find((one) => one.id === id);
    found.unshift({ ...byWord!, by: word.source });
  }
  const [first, ...others] = found;
  for (const other of others) refuseOther({ value: first!.subdomain, source: first!.by }, other, other.by);
  return first;
}

async function instancesOf(client: ControlClient): Promise<Omit<Named, "by">[]> {
  const found = [];
  for await (const { id, data } of client.rows("GET /instances")) found.push({ ...data, id });
  return found;
}

function idIn(instances: readonly Omit<Named, "by">[], name: string): string {
  return instances.find(({ publishable_key }) => publishable_key === name)?.id ?? name;
}

/** Whether a request is worth it to learn whose a key is: before a change its address is not enough. */
function mustKnow({ needs = { on: "instance" } }: Context, found: readonly Named[]): boolean {
  const { on, changes } = needs;
  return (on !== "server" || changes === true) && (found.length === 0 || changes === true);
}

/** A keyring may ask its owner, and a profile has an address beside its key. */
async function keyOf(context: Context, secret_key: NonNullable<Target["secret_key"]>): Promise<string | undefined> {
  const { value, source } = secret_key;
  if (typeof value === "string" || !source.startsWith("SVC_")) return typeof value === "string" ? value : undefined;
  return requireKey(context, { secret_key });
}

/** Only the service knows whose a key is. */
async function idByKey(context: Context, { base_url, secret_key }: Target): Promise<string | undefined> {
  if (base_url === undefined)
    throw new UsageError(
      `No address for the key in ${secret_key!.source}. Nothing was done.`,
      `Set SVC_BASE_URL to the address of its instance, or unset ${secret_key!.source}.`,
    );
  await verifyKeyWithService(context, { base_url, secret_key }, await requireKey(context, { base_url, secret_key }));
  return context.network.instance?.id;
}
