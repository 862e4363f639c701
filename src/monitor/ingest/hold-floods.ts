import type { Instant } from "../../lib/instant.ts";
import { admit } from "../alerts/flood.ts";
import type { Alert } from "../model/alert.ts";
import type { Query } from "../model/query.ts";
import { FLOOD_MS, floodWindowOf, type RuleFlood } from "../model/rule-flood.ts";
import type { Facts } from "../store/stores.ts";
import type { AlertObservation } from "./apply-observations.ts";

/** How many alerts one rule may open for one query in ten minutes. */
export interface FloodLimit {
  readonly floods: Facts["ruleFloods"];
  readonly limit: number;
}

interface FloodGate {
  /** Whether evidence at this moment may open an alert of the rule. */
  admits(rule: string, at: Instant): boolean;
  /** Stores which rules are held, and which are no more. */
  write(): Promise<void>;
}

/** The caller holds the lock of the query. Nothing is asked where nothing can open an alert. */
export async function openFloodGate(
  { floods, limit }: FloodLimit,
  query: Query,
  observations: readonly AlertObservation[],
  known: readonly Alert[],
): Promise<FloodGate> {
  const open = new Set(known.filter(({ resolvedAt }) => resolvedAt === null).map((one) => one.fingerprint));
  const opening = observations
    .filter(({ fingerprint }) => !open.has(fingerprint))
    .flatMap((one) => {
      const observed = one.observe(null);
      return observed.kind === "evidence" ? [{ rule: one.ruleName, at: observed.at }] : [];
    });
  const rules = [...new Set(opening.map(({ rule }) => rule))];
  const from = floodWindowOf(Math.min(...opening.map(({ at }) => at)));
  const stored = rules.length === 0 ? [] : await floods.ofRules(query, rules, from, from + FLOOD_MS);
  const now = new Map(stored.map((flood) => [flood.rule, flood]));
  const changed = new Map<string, RuleFlood>();
  const ended: { readonly flood: RuleFlood; readonly at: Instant }[] = [];
  return {
    admits: (rule, at) => {
      const before = now.get(rule) ?? {
        rule,
        windowFrom: from,
        inWindow: 0,
        heldAt: null,
        held: 0,
        lastAt: at,
      };
      const { outcome, flood } = admit(before, at, limit);
      now.set(rule, flood);
      if (outcome === "Resumes") {
        ended.push({ flood: before, at });
        changed.delete(rule);
      }
      if (flood.heldAt !== null) changed.set(rule, flood);
      return flood.heldAt === null;
    },
    write: async () => {
      await floods.save(query, [
        ...ended.map(({ flood, at }) => ({ ...flood, resumedAt: at })),
        ...[...changed.values()].map((flood) => ({ ...flood, resumedAt: null })),
      ]);
    },
  };
}
