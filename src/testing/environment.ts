/** Where a test runs: to be imported before the service, whose parts look for what they need when they are loaded. */
import { transferableAbortController } from "node:util";

const REMEDY =
  "Run this file in Node's own environment: begin it with the comment // @vitest-environment node, for Jest /** @jest-environment node */";

if (typeof globalThis.Request !== "function" || typeof globalThis.TextEncoder !== "function")
  throw new Error(
    `svc-identity/testing needs the globals of Node.js, which this simulated browser does not have. ${REMEDY}`,
  );

const NodesSignal = transferableAbortController().signal.constructor as typeof AbortSignal;

/** @throws {Error} if happy-dom has put classes of its own in the place of Node's, which refuses them */
export function requireNode(of: string): void {
  if (new AbortController().signal instanceof NodesSignal) return;
  throw new Error(
    `${of} runs a server, and this simulated browser has replaced what that needs of Node.js. ${REMEDY}. Or start the server elsewhere, such as in globalSetup, and use connect`,
  );
}
