import { UserError } from "../../lib/errors.ts";
import { WEEKDAYS, type Weekday } from "../../lib/local-time.ts";
import { WeeklyRange } from "../../lib/weekly-range.ts";

/** `mon-fri 22:00-07:00 Europe/Berlin`, `sat,sun 00:00-24:00 UTC`, `22:00-07:00 Asia/Kolkata` → a weekly range. */
export function readWindow(text: string): WeeklyRange {
  const found = /^(?:([a-z,-]+)\s+)?(\d{1,2}:\d{2})\s*[-–]\s*(\d{1,2}:\d{2})\s+(\S+)$/i.exec(text.trim());
  if (found === null) throw unreadable(text);
  const [, days, from, to, timezone] = found;
  const parsed = WeeklyRange.safeParse({
    timezone,
    from,
    to,
    ...(days !== undefined && { days: daysOf(days.toLowerCase(), text) }),
  });
  if (!parsed.success) throw unreadable(text, parsed.error.issues[0]?.message);
  if (parsed.data.from === parsed.data.to) throw unreadable(text, "it is empty");
  return parsed.data;
}

function daysOf(text: string, whole: string): Weekday[] {
  return text.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-");
    const days: readonly string[] = WEEKDAYS;
    const [from, to] = [days.indexOf(first ?? ""), days.indexOf(last ?? "")];
    if (from === -1 || to === -1) throw unreadable(whole, `days are ${WEEKDAYS.join(", ")}`);
    const count = ((to - from + 7) % 7) + 1;
    return Array.from({ length: count }, (_, index) => WEEKDAYS[(from + index) % 7] ?? "mon");
  });
}

function unreadable(text: string, because = "write it as mon-fri 22:00-07:00 Europe/Berlin"): UserError {
  return new UserError(`"${text}" is no weekly window`, [because]);
}
