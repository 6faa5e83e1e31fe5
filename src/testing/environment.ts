/** Where a test runs: to be imported before the service, whose parts look for what they need when they are loaded. */
import * as util from "node:util";

const REMEDY =
  "Run this file in Node's own environment: begin it with the comment // @vitest-environment node, for Jest /** @jest-environment node */";

if (typeof globalThis.Request !== "function" || typeof globalThis.TextEncoder !== "function")
  throw new Error(
    `svc-identity/testing needs the globals of Node.js, which this simulated browser does not have. ${REMEDY}`,
  );

// Bun has no such function, and none of these simulated browsers in its runner.
const NodesSignal = (util as Partial<typeof util>).transferableAbortController?.().signal.constructor ?? AbortSignal;

/** @throws {Error} if happy-dom has put classes of its own in the place of Node's, which refuses them */
export function requireNode(of: string): void {
  if (new AbortController().signal instanceof (NodesSignal as typeof AbortSignal)) return;
  throw new Error(
    `${of} runs a server, and this simulated browser has replaced what that needs of Node.js. ${REMEDY}. Or start the server elsewhere, such as in globalSetup, and use connect`,
  );
}
