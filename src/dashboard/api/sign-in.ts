import { control } from "./client.ts";
import type { SignIn } from "./records.ts";
import { currentInstance, service } from "./service.ts";

/** A sign-in of the first account, at the default provider of the instance that was chosen last. */
export async function runSignIn(): Promise<SignIn> {
  const instance = currentInstance();
  const { data } = service.peek().instances.find(({ id }) => id === instance) ?? {};
  const provider = data?.providers.find((name) => name === data.default_provider) ?? data?.providers[0];
  return control.request("POST /sign-ins", { body: { instance, provider } });
}
