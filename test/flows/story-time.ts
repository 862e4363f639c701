import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/lib/instant.ts";

/** Monday. */
const FIRST_DAY: Instant = Date.parse("2026-03-02T00:00:00Z");

/** `09:30`, `09:30:15`, or `day 2 08:00`, in UTC. */
export function storyTime(text: string): Instant {
  const found = /^(?:day (\d+) )?(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  if (found === null) throw new Error(`"${text}" is no time of a story`);
  const [, day = "1", hours, minutes, seconds = "0"] = found;
  return (
    FIRST_DAY +
    (Number(day) - 1) * DAY +
    Number(hours) * HOUR +
    Number(minutes) * MINUTE +
    Number(seconds) * SECOND
  );
}
