/** Round numbers from 0 to at least `largest`, three to five of them: the lines of the vertical axis. */
export function countTicks(largest: number): readonly number[] {
  const step = roundStep(Math.max(largest, 1) / 4);
  const ticks = [0];
  for (let i = 1; (ticks.at(-1) ?? 0) < largest || i === 1; i++) ticks.push(i * step);
  return ticks;
}

/** The next of 1, 2, 5, 10, 20, 50 …: mentions come whole. */
function roundStep(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}
