import type { AlertLife, LifeChange, LifeRule, Observation } from "../../../src/monitor/alerts/alert-life.ts";
import { observe } from "../../../src/monitor/alerts/lifecycle.ts";

/** Applies observations in the order of `at`. `life` is the newest alert after them, `changes` all that happened. */
export function observeAll(
  life: AlertLife | null,
  rule: LifeRule,
  observations: Iterable<Observation>,
): { readonly life: AlertLife | null; readonly changes: readonly LifeChange[] } {
  const changes: LifeChange[] = [];
  let current = life;
  for (const observation of observations) {
    for (const change of observe(current, rule, observation)) {
      changes.push(change);
      current = change.life ?? current;
    }
  }
  return { life: current, changes };
}
