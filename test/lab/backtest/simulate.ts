import {
  createSimulation,
  type SimulationOptions,
  type SimulationResult,
} from "../../../src/lab/backtest/simulate.ts";
import type { Instant } from "../../../src/lib/instant.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";

/** Simulates mentions that are in memory. */
export async function simulate(
  options: SimulationOptions & { readonly mentions: Iterable<Mention>; readonly to: Instant },
): Promise<SimulationResult> {
  const simulation = createSimulation(options);
  for (const mention of options.mentions) await simulation.take(mention);
  return simulation.finish(options.to);
}
