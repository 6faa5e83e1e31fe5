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
  // The variables of the first instance, with the front door's address, are those of the server as well.
  const isForServer = isAtFront && (argument !== undefined || context.needs?.on !== "instance");
  const isMeant = ({ id }: { readonly id: string }): boolean => !isForServer || id !== instances[0]?.id;
  const isVariable = secret_key?.source.startsWith("SVC_");
  // A keyring may ask its owner: where the address names an instance, its key is not needed.
  if (secret_key && (isVariable || (found.length === 0 && mustKnow(context, found)))) {
    const key = await requireKey(context, { secret_key });
    const id = place.server || !mustKnow(context, found) ? undefined : await idByKey(context, explicit);
    const byKey = instances.find((one) => (place.server ? one.secret_key === key : one.id === id));
    if (byKey && isMeant(byKey)) found.push({ ...byKey, by: secret_key.source });
    else if (!byKey && (place.server ?? id))
      throw notIts(place, secret_key.source, "is the key of another service, or was replaced", OPERATOR);
  }
  if (publishable_key) {
    const own = instances.find((one) => one.publishable_key === publishable_key.value);
    if (own && isMeant(own)) found.push({ ...own, by: publishable_key.source });
    // Beside another name it may be one that was replaced.
    if (!own && !isForServer && !instance && found.length === 0)
      throw notIts(place, publishable_key.source, "is the key of another service, or was replaced", OPERATOR);
  }
  for (const word of [instance, argument]) {
    if (!word) continue;
    const { id } = await client.request("GET /instances/:id", { params: { id: idIn(instances, word.value) } });
    const byWord = instances.find((one) => one.id === id) ?? (await instancesOf(client)).find((one) => one.id === id);
    found.unshift({ ...byWord!, by: word.source });
  }
  const [first, ...others] = found;
  for (const other of others) refuseOther({ value: first!.subdomain, source: first!.by }, other, other.by);
  return first;
}

/** In order of creation. */
async function instancesOf(client: ControlClient): Promise<Omit<Named, "by">[]> {
  const found = [];
  for await (const { id, data } of client.rows("GET /instances")) found.unshift({ ...data, id });
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
