import { DateTime } from "luxon";
import { HOUR, type Moment } from "../world.ts";
import { type InsightsWorld, queriesOf, type Span } from "./insights-world.ts";

export interface AskedTime {
  readonly zone: string;
  readonly by: "hour" | "day" | "week";
  /** Where each step begins, and where the last one ends. */
  readonly moments: readonly Moment[];
  /** The same of the time before. */
  readonly before: readonly Moment[];
}

const QUARTER = HOUR / 4;

/** The time that an address asks for, as docs/insights.md has it. */
export function askedTime(world: InsightsWorld, asked: URLSearchParams): AskedTime {
  const zones = [...new Set(queriesOf(world, asked).map(({ zone }) => zone))];
  const zone = zones.length === 1 ? (zones[0] ?? world.zone) : world.zone;
  const local = (at: Moment) => DateTime.fromMillis(at, { zone });
  const end = Math.ceil(world.now / QUARTER) * QUARTER;
  const last = asked.get("last") ?? (asked.has("from") ? null : "7d");
  const hours = last === "24h" ? 23 : null;
  const days = last === null || hours !== null ? 0 : Number.parseInt(last, 10) - 1;
  const from =
    last === null
      ? Math.floor(Number(asked.get("from")) / QUARTER) * QUARTER
      : hours !== null
        ? local(world.now).startOf("hour").minus({ hours }).toMillis()
        : local(world.now).startOf("day").minus({ days }).toMillis();
  const to = last === null && asked.has("to") ? Math.ceil(Number(asked.get("to")) / QUARTER) * QUARTER : end;
  const length = (to - from) / (24 * HOUR);
  const by = (asked.get("by") ?? (length <= 3 ? "hour" : length <= 62 ? "day" : "week")) as AskedTime["by"];
  const moments = [from];
  for (let n = 1, next = 0; next < to; n++) {
    next = local(from)
      .startOf(by)
      .plus({ [`${by}s`]: n })
      .toMillis();
    if (next > from && next < to) moments.push(next);
  }
  moments.push(to);
  const unit = by === "hour" ? "hours" : "days";
  const long = Math.ceil(local(to).diff(local(from), unit).as(unit));
  const shift = { [unit]: by === "week" ? Math.ceil(long / 7) * 7 : long };
  return { zone, by, moments, before: moments.map((at) => local(at).minus(shift).toMillis()) };
}

export function spanOf(moments: readonly Moment[]): Span {
  return { from: moments[0] ?? 0, to: moments.at(-1) ?? 0 };
}

export function stepsOf(moments: readonly Moment[]): readonly Span[] {
  return moments.slice(0, -1).map((from, n) => ({ from, to: moments[n + 1] ?? from }));
}

/** What a page calls a step. */
export function labelOf({ by, zone }: AskedTime, { from, to }: Span): string {
  const at = DateTime.fromMillis(from, { zone, locale: "en" });
  if (by === "hour") return at.toFormat("ccc d LLL, HH:mm");
  if (by === "day") return at.toFormat("ccc d LLL");
  return `${at.toFormat("d LLL")} to ${DateTime.fromMillis(to - 1, { zone, locale: "en" }).toFormat("d LLL")}`;
}

export function spanWords({ from, to }: Span, zone: string): string {
  const words = (at: Moment) => {
    const moment = DateTime.fromMillis(at, { zone, locale: "en" });
    return moment.toFormat(moment.hour + moment.minute === 0 ? "ccc d LLL yyyy" : "ccc d LLL yyyy, HH:mm");
  };
  return `${words(from)} to ${words(to)}`;
}

/** Whether a short time, such as `Tue 10:30`, is this moment in a zone. */
export function isShortTime(text: string, at: Moment, zone: string): boolean {
  const moment = DateTime.fromMillis(at, { zone, locale: "en" });
  return ["HH:mm", "ccc HH:mm", "d LLL HH:mm", "d LLL yyyy"].some((form) => moment.toFormat(form) === text);
}
