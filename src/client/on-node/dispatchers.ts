import request from "undici/lib/api/index.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import Pool from "undici/lib/dispatcher/pool.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";
import type { Undici } from "./undici.ts";

/**
 * Of undici the dispatchers and their requests alone, put together as its own index does it. The command would take half as
 * long again to start with undici's `fetch`, WebSocket and caches. For a bundle alone, which fixes the version of these files.
 */
export function dispatchers(): Undici {
  Object.assign(Dispatcher.prototype, request);
  return { Agent, Pool, ProxyAgent };
}
