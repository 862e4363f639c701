import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import type { Brand } from "./brands.ts";

/** How lively a moment is for a brand: about 1 over a workday, far less at night. */
export function liveliness(brand: Brand, at: Instant): number {
  const hour = (at % DAY) / HOUR;
  const bumps = brand.rhythm.bumps.map(({ at: peak, width, height }) => {
    const distance = Math.min(Math.abs(hour - peak), 24 - Math.abs(hour - peak));
    return height * Math.exp(-((distance / width) ** 2) / 2);
  });
  const awake = 0.12 + 0.5 * Math.exp(-(((hour - 14) / 5) ** 2) / 2);
  const quiet = bumps.reduce((sum, bump) => sum + bump, awake);
  return quiet * (isWeekend(at) ? brand.rhythm.weekend : 1);
}

/** Day 0 of the epoch was a Thursday. */
function isWeekend(at: Instant): boolean {
  const weekday = (Math.floor(at / DAY) + 4) % 7;
  return weekday === 0 || weekday === 6;
}
