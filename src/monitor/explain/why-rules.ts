import { HOUR, type Instant } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { SERIES_ITSELF, valueHash } from "../ingest/note-values.ts";
import type { Alert } from "../model/alert.ts";
import { eventAt, type Mention } from "../model/mention.ts";
import type { WatchedQuery } from "../model/query.ts";
import { describeMiss } from "../rules/miss.ts";
import type { NewRule, Rule } from "../rules/rule.ts";
import type { Shortfall } from "../rules/window-condition.ts";
import type { Stores } from "../store/stores.ts";
import { type ReplayedWindow, replayWindow } from "./replay-window.ts";
import { type NoveltyFacts, type RuleOutcome, whyNot } from "./why-not.ts";

/** What one rule made of a mention, and why it alerted or did not. */
export interface RuleObservation {
  readonly rule: string;
  readonly kind: Rule["kind"];
  /** Whether the mention meets the rule's `when` as both are now. */
  readonly met: boolean;
  /** The named reason. */
  readonly outcome: RuleOutcome;
  /** The reason as a sentence without its full stop; it may repeat values of the mention. */
  readonly because: string;
  /** The limits that its nearest window did not reach, with their numbers. */
  readonly missing: readonly Shortfall[];
  /** Its nearest window; null where there is none. */
  readonly window: {
    readonly from: Instant;
    readonly to: Instant;
    readonly values: Readonly<Record<string, number>>;
    /** Only counts from here on were used, so what was usual may have been different; null if all were. */
    readonly countsFrom: Instant | null;
  } | null;
  /** When it led to an alert; null if it did not. */
  readonly matchedAt: Instant | null;
  readonly alertId: string | null;
}

interface StoredMatch {
  readonly rule: string;
  readonly alertId: string;
  readonly at: Instant;
  readonly because: string;
}

/** Judges a stored mention by every rule, one after the other, and says of each why it alerted or did not. */
export async function whyRules(
  stores: Pick<Stores, "counts" | "conditions" | "values" | "alerts" | "ruleFloods">,
  rules: readonly Rule[],
  query: WatchedQuery,
  mention: Mention,
  matches: readonly StoredMatch[],
  moment: (at: Instant) => string,
): Promise<RuleObservation[]> {
  const observed: RuleObservation[] = [];
  for (const rule of rules) {
    const match = matches.find((one) => one.rule === rule.name);
    const met = rule.when.matches(mention);
    const appliesTo = rule.appliesTo(query);
    const isCounted = met && appliesTo;
    const replayed =
      rule.kind === "window" && isCounted ? await replayWindow(stores, query, rule, mention) : null;
    const found =
      match === undefined && isCounted ? await alertOf(stores, rule, query, mention, replayed) : null;
    const alert =
      match !== undefined
        ? { id: match.alertId, fired: true, openedAt: match.at }
        : found === null
          ? null
          : { id: found.id, fired: found.firedAt !== null, openedAt: found.openedAt };
    const why = whyNot(
      {
        ...{ kind: rule.kind, queries: rule.queries, appliesTo, alert, forMs: rule.forMs },
        miss: met ? null : describeMiss(rule.when.miss(mention)),
        arrivedAt: mention.addedAt,
        watchFrom: query.watchFrom,
        heldSince:
          isCounted && alert === null && rule.kind !== "window"
            ? await stores.ruleFloods.heldSince(query, rule.name, mention.addedAt)
            : null,
        window: replayed?.facts ?? null,
        novelty: rule.kind === "new" && isCounted ? await noveltyOf(stores, rule, query, mention) : null,
      },
      moment,
    );
    observed.push({
      ...{ rule: rule.name, kind: rule.kind, met, outcome: why.outcome },
      because: match?.because ?? (found?.firedAt != null ? found.because : why.text),
      missing: replayed?.missing ?? [],
      window: windowOf(replayed),
      matchedAt: match?.at ?? (alert?.fired === true ? alert.openedAt : null),
      alertId: alert?.id ?? null,
    });
  }
  return observed;
}

/** A match with a rule that was renamed or removed since. */
export function observationOfGoneRule({ rule, alertId, at, because }: StoredMatch): RuleObservation {
  const nothing = { missing: [], window: null };
  return {
    ...nothing,
    rule,
    kind: "mention",
    met: true,
    outcome: "Alerted",
    because,
    matchedAt: at,
    alertId,
  };
}

/** The rule's alert that was open when the mention arrived, or opened with a window that had it. */
async function alertOf(
  stores: Pick<Stores, "alerts">,
  rule: Rule,
  query: WatchedQuery,
  mention: Mention,
  replayed: ReplayedWindow | null,
): Promise<Alert | null> {
  if (rule.kind === "mention") return null;
  const values = rule.kind === "new" ? rule.novelty.values(mention) : [];
  const facts = replayed?.facts;
  const until = facts?.outcome === "Judged" && facts.met ? facts.at : mention.addedAt;
  const alerts = await stores.alerts.ofRule(query, rule.name, mention.addedAt, until);
  if (rule.kind === "window") return alerts[0] ?? null;
  const { facet } = rule.novelty;
  const folded = values.map((value) => valueHash(value));
  return alerts.find(({ labels }) => folded.includes(valueHash(labels[facet] ?? ""))) ?? null;
}

async function noveltyOf(
  stores: Pick<Stores, "values">,
  { novelty }: NewRule,
  { projectId, queryId, tickedUntil }: WatchedQuery,
  mention: Mention,
): Promise<NoveltyFacts> {
  const { key, facet, atLeast, withinMs, learnMs } = novelty;
  const hashes = novelty.values(mention).map(valueHash);
  if (hashes.length === 0) return { outcome: "NoValue", facet };
  const seen = await stores.values.find(projectId, queryId, key, [SERIES_ITSELF, ...hashes]);
  const knownSince = seen.find(({ value }) => value === SERIES_ITSELF)?.firstAt ?? tickedUntil;
  const own = seen.filter(({ value }) => value !== SERIES_ITSELF);
  // Of several values the one with the most authors came nearest.
  const nearest = own.toSorted((a, b) => b.authors.length - a.authors.length)[0];
  const firstAt = nearest?.firstAt ?? eventAt(mention);
  const stillMs = learnMs - (firstAt - knownSince);
  if (stillMs > 0) return { outcome: "WarmingUp", needs: counted(Math.ceil(stillMs / HOUR), "more hour") };
  if (eventAt(mention) - firstAt > withinMs) return { outcome: "KnownBefore", facet, firstAt };
  const authors = nearest?.authors.length ?? 1;
  if (authors < atLeast) return { outcome: "TooFew", facet, authors, atLeast, firstAt };
  return { outcome: "Enough" };
}

function windowOf(replayed: ReplayedWindow | null): RuleObservation["window"] {
  if (replayed?.verdict == null) return null;
  const { windowFrom: from, windowTo: to, values } = replayed.verdict;
  return { from, to, values, countsFrom: replayed.countsFrom };
}
