// Below the faces: 100,000 users by requests would take minutes.

import type { Server } from "node:http";
import { onTestFinished } from "vitest";
import { newRecord } from "../src/server/store/records.ts";
import { INSTANCE, openMemoryServer } from "./_memory-server.ts";

export const SECRET_KEY = "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz";

export function userId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/**
 * A server on its own socket whose only instance has users 1 to `count` and a persona `ada`.
 * @param nameOf a user's name: a list of few long ones is as long as one of many users, and made sooner
 */
export async function serverOf(
  count: number,
  nameOf: (n: number) => string = (n) => `User Number ${n}`,
): Promise<{ server: Server; port: number }> {
  const created_at = new Date(0).toISOString();
  const users = Array.from({ length: count }, (_, n) =>
    newRecord("users", {
      id: userId(n + 1),
      instance_id: INSTANCE,
      email: `user${n + 1}@acme.test`,
      name: nameOf(n + 1),
      created_at,
      updated_at: created_at,
    }),
  );
  const { server, port, close } = await openMemoryServer(SECRET_KEY, users);
  onTestFinished(close);
  return { server, port };
}
