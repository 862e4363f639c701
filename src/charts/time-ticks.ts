import { DateTime } from "luxon";
import { DAY, HOUR, type Instant, MINUTE } from "../lib/instant.ts";

export interface TimeTick {
  readonly at: Instant;
  readonly label: string;
}

/** Round moments of `zone` in [from, to): times of the day, with the date at midnight; days where the span is long. */
export function timeTicks(from: Instant, to: Instant, zone: string, atMost: number): readonly TimeTick[] {
  const days = Math.ceil((to - from) / DAY / atMost);
  const step = STEPS.find((ms) => (to - from) / ms <= atMost);
  const ticks: TimeTick[] = [];
  const midnight = DateTime.fromMillis(from, { zone, locale: "en" }).startOf("day");
  for (let day = midnight; day.toMillis() < to; day = day.plus({ days: step === undefined ? days : 1 })) {
    for (const tick of step === undefined ? [day] : timesOf(day, step)) {
      const at = tick.toMillis();
      if (at < from || at >= to) continue;
      ticks.push({ at, label: tick.toFormat(labelFormat(tick, step)) });
    }
  }
  return ticks;
}

const STEPS = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];

/** In local time, so that ticks stay round when clocks change. */
function timesOf(day: DateTime, step: number): DateTime[] {
  const times: DateTime[] = [];
  for (let ms = 0; ms < DAY; ms += step) {
    const tick = day.set({ hour: Math.floor(ms / HOUR), minute: (ms % HOUR) / MINUTE });
    // A time that the clocks skip becomes another, which is not round.
    if (tick.hour === Math.floor(ms / HOUR)) times.push(tick);
  }
  return times;
}

function labelFormat(tick: DateTime, step: number | undefined): string {
  if (step === undefined) return "d LLL";
  return tick.hour === 0 && tick.minute === 0 ? "ccc d LLL" : "HH:mm";
}
