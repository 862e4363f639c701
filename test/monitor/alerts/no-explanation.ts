import type { Explanation } from "../../../src/monitor/model/alert.ts";

/** An explanation without findings. */
export const NO_EXPLANATION: Explanation = {
  notifyCount: 1,
  since: null,
  largest: null,
  looked: { now: 0, before: 0 },
  authors: { count: 0, loudest: [] },
  reposts: { now: 0, before: null },
  negative: null,
  topics: [],
  domains: [],
  words: [],
  completeUntil: null,
  chart: null,
};
