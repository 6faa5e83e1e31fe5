/** The redirect URIs of an instance that lists some. */
export const REGISTERED = [
  "https://app.acme.test/callback",
  "https://app.acme.test:8443/callback?tenant=1",
  "https://bare.acme.test",
  "http://localhost:3000/callback",
  "http://127.0.0.1/callback",
  "http://[::1]:5000/callback?x=1",
];
