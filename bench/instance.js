/** The instance that the benches of the stores fill. @param at when it was created, in milliseconds since 1970 */
export const instanceOf = (id, at) => ({
  id,
  app_id: "app",
  name: "Acme",
  subdomain: "acme",
  active: true,
  publishable_key: "pk_acme_0123456789",
  secret_key: "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz",
  old_keys: [],
  preview: false,
  default_provider: "google",
  redirect_uris: [],
  connections: {},
  clients: [],
  created_at: new Date(at).toISOString(),
});
