import { expandReason } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../lib/instant.ts";
import { type Html, html } from "./html.ts";

/**
 * Formats for the readers of the console: times in one zone and as short as today allows, rules by the title that
 * messages use.
 */
export interface Times {
  /** IANA name. */
  readonly zone: string;
  /** `Tue 14:05 UTC`. */
  clock(at: Instant): string;
  /** `14:05` today, `Mon 14:05` this week, `3 Mar 14:05` or `3 Mar 2024` before; the title has the full time. */
  moment(at: Instant): Html;
  /** `14:00`. */
  hour(at: Instant): string;
  /** `Wave of negative mentions`. */
  titleOf(rule: string): string;
  now(): Instant;
  /** The same in another zone. */
  inZone(zone: string): Times;
}

export function createTimes(
  clock: Clock,
  zone: string,
  titleOf: (rule: string) => string = expandReason,
): Times {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", ...options });
  const zoned = format({ weekday: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
  const time = format({ hour: "2-digit", minute: "2-digit" });
  const day = format({ weekday: "short" });
  const date = format({ day: "numeric", month: "short" });
  const year = format({ day: "numeric", month: "short", year: "numeric" });
  const whole = format({ dateStyle: "full", timeStyle: "long" });
  const dayOf = format({ dateStyle: "short" });

  const short = (at: Instant, now: Instant): string => {
    if (dayOf.format(at) === dayOf.format(now)) return time.format(at);
    if (Math.abs(now - at) < 6 * DAY) return `${day.format(at)} ${time.format(at)}`;
    if (Math.abs(now - at) < 180 * DAY) return `${date.format(at)} ${time.format(at)}`;
    return year.format(at);
  };
  const others = new Map<string, Times>();
  const times: Times = {
    zone,
    clock: (at) => zoned.format(at).replace(",", ""),
    moment: (at) =>
      html`<time datetime="${toIso(at)}" title="${whole.format(at)}">${short(at, clock.now())}</time>`,
    hour: (at) => time.format(at),
    titleOf,
    now: () => clock.now(),
    inZone: (other) => {
      const known = other === zone ? times : (others.get(other) ?? createTimes(clock, other, titleOf));
      others.set(other, known);
      return known;
    },
  };
  return times;
}

/** A note for readers about a clock that is not wall time; null for wall time. */
export function describePace(clock: Clock): string | null {
  switch (clock.speed) {
    case 1:
      return null;
    case 0:
      return "this clock moves only when the replay moves it";
    case MINUTE / 1000:
      return "in this demo one minute is an hour";
    case HOUR / 1000:
      return "in this demo one second is an hour";
    default:
      return `this clock runs ${clock.speed} times as fast as the wall’s`;
  }
}
