/** Delays with their weights, summed up. */
export interface Delays {
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly weightedMeanMs: number;
  readonly weightedP95Ms: number;
  readonly calls: number;
  /** The most calls that fell into one rolling window. */
  readonly mostInWindow: number;
}

export function createDelays(periodMs: number) {
  const delays: number[] = [];
  const weights: number[] = [];
  const calls: number[] = [];
  return {
    add(delayMs: number, weight: number): void {
      delays.push(delayMs);
      weights.push(weight);
    },
    call(at: number): void {
      calls.push(at);
    },
    sum(): Delays {
      const order = Float64Array.from(delays.keys()).sort((a, b) => (delays[a] ?? 0) - (delays[b] ?? 0));
      let [total, weight, weighted] = [0, 0, 0];
      for (let i = 0; i < delays.length; i++) {
        total += delays[i] ?? 0;
        weight += weights[i] ?? 0;
        weighted += (delays[i] ?? 0) * (weights[i] ?? 0);
      }
      let passed = 0;
      let weightedP95Ms = 0;
      for (const index of order) {
        passed += weights[index] ?? 0;
        weightedP95Ms = delays[index] ?? 0;
        if (passed >= 0.95 * weight) break;
      }
      return {
        meanMs: total / delays.length,
        p95Ms: delays[order[Math.floor(0.95 * order.length)] ?? 0] ?? 0,
        weightedMeanMs: weighted / weight,
        weightedP95Ms,
        calls: calls.length,
        mostInWindow: mostIn(calls, periodMs),
      };
    },
  };
}

function mostIn(calls: readonly number[], periodMs: number): number {
  let [most, first] = [0, 0];
  for (let last = 0; last < calls.length; last++) {
    while ((calls[first] ?? 0) <= (calls[last] ?? 0) - periodMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
