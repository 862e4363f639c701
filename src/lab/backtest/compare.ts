import { type Alert, isSmall, type Severity } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { groupBy } from "../../lib/group-by.ts";
import { type Instant, toIso } from "../../lib/instant.ts";
import { isRecord } from "../../lib/json.ts";
import { groupLabels } from "./report.ts";
import type { SimulationResult } from "./simulate.ts";

/** What differs between two versions of the rules, over the same mentions. */
export interface Comparison {
  readonly alerts: { readonly before: number; readonly after: number };
  /** As `incidents` of the report. */
  readonly incidents: { readonly before: number; readonly after: number };
  readonly messages: { readonly before: number; readonly after: number };
  /** Alerts that both versions open, at the same moment and with the same severity. */
  readonly same: number;
  readonly differences: readonly Difference[];
}

/** `new`: only the new version opens it. `gone`: only the old one. The others: both do. */
type DifferenceKind = "new" | "gone" | "earlier" | "later" | "other severity";

export interface Difference {
  readonly kinds: readonly DifferenceKind[];
  readonly rule: string;
  readonly query: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Null: this version does not open it. */
  readonly before: SeenAlert | null;
  readonly after: SeenAlert | null;
  readonly reason: string;
}

interface SeenAlert {
  readonly openedAt: string;
  readonly resolvedAt: string | null;
  readonly severity: Severity;
}

/** A value of a rule file that differs; undefined: it is not there. */
interface RuleChange {
  /** `volume.atLeast`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The rule files by name, as written: `content` of the YAML. */
export type RuleContents = ReadonlyMap<string, unknown>;

/** Compares two simulations of the same mentions. */
export function compareSimulations(
  before: SimulationResult,
  after: SimulationResult,
  contents: { readonly before: RuleContents; readonly after: RuleContents },
): Comparison {
  const pairs = pairAlerts(before.alerts, after.alerts);
  const differences = pairs
    .map(([old, fresh]) => differenceOf(old, fresh, contents))
    .filter((difference) => difference !== null);
  return {
    alerts: { before: before.alerts.length, after: after.alerts.length },
    incidents: { before: countIncidents(before), after: countIncidents(after) },
    messages: { before: before.notifications.length, after: after.notifications.length },
    same: pairs.length - differences.length,
    differences,
  };
}

function countIncidents({ incidents }: SimulationResult): number {
  return incidents.filter((incident) => !isSmall(incident)).length;
}

type Pair = readonly [Alert | null, Alert | null];

/** Alerts of one rule, query and group that were open at the same time belong together, each to one other. */
function pairAlerts(before: readonly Alert[], after: readonly Alert[]): readonly Pair[] {
  const keyOf = ({ rule, fingerprint }: Alert): string => `${rule} ${fingerprint}`;
  const left = new Map([...groupBy(after, keyOf)].map(([key, candidates]) => [key, [...candidates]]));
  const pairs: Pair[] = before.map((alert) => {
    const candidates = left.get(keyOf(alert)) ?? [];
    const index = candidates.findIndex((one) => overlap(one, alert));
    return [alert, index === -1 ? null : (candidates.splice(index, 1)[0] ?? null)];
  });
  for (const candidates of left.values()) for (const alert of candidates) pairs.push([null, alert]);
  return pairs.sort((a, b) => startOf(a) - startOf(b));
}

function overlap(a: Alert, b: Alert): boolean {
  return a.openedAt <= endOf(b) && b.openedAt <= endOf(a);
}

function endOf({ resolvedAt }: Alert): Instant {
  return resolvedAt ?? Number.POSITIVE_INFINITY;
}

function startOf([before, after]: Pair): Instant {
  return Math.min(before?.openedAt ?? Number.POSITIVE_INFINITY, after?.openedAt ?? Number.POSITIVE_INFINITY);
}

function differenceOf(
  before: Alert | null,
  after: Alert | null,
  contents: { readonly before: RuleContents; readonly after: RuleContents },
): Difference | null {
  const alert = after ?? before;
  if (alert === null) return null;
  const kinds = kindsOf(before, after);
  if (kinds.length === 0) return null;
  return {
    kinds,
    rule: alert.rule,
    query: alert.queryName,
    labels: groupLabels(alert),
    before: before && seen(before),
    after: after && seen(after),
    reason: reasonOf(before, after, contents),
  };
}

function kindsOf(before: Alert | null, after: Alert | null): readonly DifferenceKind[] {
  if (before === null) return ["new"];
  if (after === null) return ["gone"];
  const kinds: DifferenceKind[] = [];
  if (after.openedAt !== before.openedAt) kinds.push(after.openedAt < before.openedAt ? "earlier" : "later");
  if (after.severity !== before.severity) kinds.push("other severity");
  return kinds;
}

function seen({ openedAt, resolvedAt, severity }: Alert): SeenAlert {
  return { openedAt: toIso(openedAt), resolvedAt: resolvedAt === null ? null : toIso(resolvedAt), severity };
}

/** What changed in the rule, and the numbers that each version saw. */
function reasonOf(
  before: Alert | null,
  after: Alert | null,
  contents: { readonly before: RuleContents; readonly after: RuleContents },
): string {
  const rule = (after ?? before)?.rule ?? "";
  const [old, fresh] = [contents.before.get(rule), contents.after.get(rule)];
  const parts: string[] = [];
  if (old === undefined) parts.push("the rule is new");
  else if (fresh === undefined) parts.push("the rule is gone");
  else {
    const changes = changesOf(old, fresh);
    parts.push(
      changes.length === 0
        ? "the rule itself is the same"
        : changes.map(({ path, before, after }) => `${path}: ${shown(before)} → ${shown(after)}`).join(", "),
    );
  }
  if (before !== null && after !== null && before.openedAt !== after.openedAt)
    parts.push(
      `${formatDuration(Math.abs(after.openedAt - before.openedAt))} ${after.openedAt < before.openedAt ? "earlier" : "later"}`,
    );
  if (before !== null && after !== null && before.severity !== after.severity)
    parts.push(`${before.severity} → ${after.severity}`);
  if (before !== null) parts.push(`before: ${before.because}`);
  if (after !== null) parts.push(`after: ${after.because}`);
  return parts.join("; ");
}

/** The values that differ between two rule files, by path. */
function changesOf(before: unknown, after: unknown, path = ""): readonly RuleChange[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => changesOf(before[key], after[key], path === "" ? key : `${path}.${key}`));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}
