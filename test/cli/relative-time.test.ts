// Below the faces: a rule of many rows, which the dashboard shares.
import { expect, it } from "vitest";
import { relativeTime } from "../../src/text/time.ts";

const DAY = 86_400;

it.each<[seconds: number, long: string, short: string]>([
  [0, "just now", "just now"],
  [-4.9, "just now", "just now"],
  [-5, "5 seconds ago", "5 sec. ago"],
  [-59.9, "59 seconds ago", "59 sec. ago"],
  [-60, "1 minute ago", "1 min. ago"],
  [-3599, "59 minutes ago", "59 min. ago"],
  [-DAY + 1, "23 hours ago", "23 hr. ago"],
  [-DAY, "1 day ago", "1 day ago"],
  [-59 * DAY, "1 month ago", "1 mo. ago"],
  [-730 * DAY, "2 years ago", "2 yr. ago"],
  [4, "just now", "just now"],
  [3600, "in 1 hour", "in 1 hr."],
  [7199, "in 1 hour", "in 1 hr."],
])("A moment %d seconds from now is %s, for the command line and the dashboard alike", (seconds, long, short) => {
  const now = new Date("2026-06-01T12:00:00Z");
  const at = now.getTime() + seconds * 1000;
  expect([relativeTime(at, now), relativeTime(at, now, "short")]).toEqual([long, short]);
});
