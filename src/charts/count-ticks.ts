import { formatNumber } from "../lib/numbers.ts";

/** Round numbers from 0 to at least `largest`, three to five of them: the lines of the vertical axis. */
export function countTicks(largest: number): readonly number[] {
  const step = roundStep(Math.max(largest, 1) / 4);
  const ticks = [0];
  for (let i = 1; (ticks.at(-1) ?? 0) < largest || i === 1; i++) ticks.push(i * step);
  return ticks;
}

/** `20`, `15,000`; `1.5M` on an axis without room for its largest number. */
export function formatTick(count: number, largest: number): string {
  return largest < 100_000 ? formatNumber(count) : COMPACT.format(count).replace("K", "k");
}

const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** The next of 1, 2, 5, 10, 20, 50 …: mentions come whole. */
function roundStep(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}
