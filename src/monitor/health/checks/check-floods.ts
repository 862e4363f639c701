import { formatNumber } from "../../../lib/numbers.ts";
import { FLOOD_MS, isOver } from "../../model/rule-flood.ts";
import type { HealthCheck } from "../define-check.ts";

/** Rules that open more alerts than anybody can read. */
export const floodCheck: HealthCheck = ({ heldRules, now }, { flood }) =>
  heldRules
    .filter((held) => !isOver(held, now, flood))
    .map((one) => ({
      rule: "rule-floods",
      labels: { query: one.queryName, queryId: one.queryId, heldRule: one.rule },
      since: one.heldAt,
      because: `the rule ${one.rule} is held: it opened ${formatNumber(flood)} alerts for ${one.queryName} within ${FLOOD_MS / 60_000} minutes, and ${formatNumber(one.held)} more would have opened since. Those mentions are stored and counted, and open no alert; all other rules go on. It goes on by itself after ten minutes with fewer than ${formatNumber(flood)}. Is it too wide? See what it matches with earshot backtest, and narrow its when or group by less`,
      values: { alerts: flood, held: one.held },
    }));
