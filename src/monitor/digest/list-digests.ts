import type { Instant } from "../../lib/instant.ts";
import { formatLocalTime, WEEKDAY_NAMES } from "../../lib/local-time.ts";
import type { ShownDigest } from "../model/digest.ts";
import type { PlannedDigest } from "./planned-digest.ts";
import { nextOccurrence, type Schedule } from "./schedule.ts";

/** The digests of the configuration for people, in its order. */
export function listDigests(digests: readonly PlannedDigest[], now: Instant): readonly ShownDigest[] {
  return digests.map((digest) => {
    const { name, title, timezone, queries, receivers, skipQuiet } = digest;
    const nextAt = nextOccurrence(digest, now).at;
    return {
      name,
      title,
      timezone,
      queries,
      receivers,
      skipQuiet,
      schedule: describeSchedule(digest),
      nextAt,
    };
  });
}

/** `every day at 08:00`, `every Monday at 07:30`, `on day 1 of each month at 07:30`. */
function describeSchedule({ at = 0, every = "day", on, cron }: Omit<Schedule, "timezone">): string {
  if (cron !== undefined) return `by the cron line ${cron}`;
  const time = formatLocalTime(at);
  switch (every) {
    case "day":
      return `every day at ${time}`;
    case "week":
      return `every ${WEEKDAY_NAMES[typeof on === "string" ? on : "mon"]} at ${time}`;
    case "month":
      return `on day ${typeof on === "number" ? on : 1} of each month at ${time}`;
  }
}
