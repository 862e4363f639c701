import type { Alert } from "#monitor";
import { isRecord } from "../../lib/json.ts";
import { isSameCase } from "./report.ts";

/** A number in a rule file that decides how often the rule alerts. */
export interface Threshold {
  readonly path: readonly (string | number)[];
  /** `volume.atLeast`, `when.any[0].followers.atLeast`. */
  readonly name: string;
  readonly current: number;
  /** In the file, a share is a percentage. */
  readonly isShare: boolean;
}

/** What a rule would have done with one value of a threshold. */
interface ThresholdPoint {
  readonly value: number;
  readonly isCurrent: boolean;
  readonly alerts: number;
  readonly alertsAWeek: number;
  /** Real alerts that people acknowledged and that it would have opened, too. */
  readonly caught: number;
  /** Real alerts that people called not relevant and that it would have opened, too. */
  readonly notRelevant: number;
}

export interface Suggestion {
  readonly threshold: Threshold;
  readonly points: readonly ThresholdPoint[];
  /** The lowest value with at most one alert a week; null if no value has. */
  readonly oneAWeek: number | null;
  /** The highest value that catches all acknowledged alerts and none that is not relevant; null if there is none. */
  readonly asPeopleSay: number | null;
  /** Real alerts that people acknowledged, or called not relevant. */
  readonly judged: { readonly acknowledged: number; readonly notRelevant: number };
}

const COUNTING = ["volume", "spike", "new", "trend"];
const MEASURES: ReadonlySet<string> = new Set(["followers", "reach", "impact", "impressions"]);

/** The thresholds of a rule, from the content of its file. */
export function thresholdsOf(content: unknown): readonly Threshold[] {
  if (!isRecord(content)) return [];
  const counts = COUNTING.flatMap((key) => atLeastOf(content[key], [key], false));
  return [
    ...counts,
    ...atLeastOf(content["share"], ["share"], true),
    ...measuresIn(content["when"], ["when"]),
  ];
}

function atLeastOf(
  value: unknown,
  path: readonly (string | number)[],
  isShare: boolean,
): readonly Threshold[] {
  const current = isRecord(value) ? numberOf(value["atLeast"], isShare) : null;
  if (current === null) return [];
  return [{ path: [...path, "atLeast"], name: nameOf([...path, "atLeast"]), current, isShare }];
}

function measuresIn(value: unknown, path: readonly (string | number)[]): readonly Threshold[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => measuresIn(one, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    MEASURES.has(key) ? atLeastOf(one, [...path, key], false) : measuresIn(one, [...path, key]),
  );
}

/** `40%` or 0.4 as 40. */
function numberOf(value: unknown, isShare: boolean): number | null {
  if (!isShare) return typeof value === "number" ? value : null;
  // 0.55 * 100 is a little more than 55.
  if (typeof value === "number") return Number((value * 100).toPrecision(12));
  const percent = typeof value === "string" ? /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(value)?.[1] : undefined;
  return percent === undefined ? null : Number(percent);
}

function nameOf(path: readonly (string | number)[]): string {
  return path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join("");
}

const ROUND = [1, 1.5, 2, 3, 4, 5, 7];

/** Round values around the current one: a fifth to ten times of it; of a share every five percentage points. */
export function valuesToTry({ current, isShare }: Threshold): readonly number[] {
  const values = new Set([current]);
  if (isShare) for (let percent = 5; percent <= 95; percent += 5) values.add(percent);
  else
    for (let power = 1; power <= current * 10; power *= 10)
      for (const factor of ROUND) {
        const value = Math.floor(factor * power);
        if (value >= Math.max(1, current / 5) && value <= current * 10) values.add(value);
      }
  return [...values].sort((a, b) => a - b);
}

/**
 * The content of the rule with another value, and with its initial severity alone: how severe an alert would become
 * changes nothing in how often the rule alerts, and severity steps may contradict the value.
 */
export function withThreshold(content: unknown, { path, isShare }: Threshold, value: number): unknown {
  const changed: unknown = replaceAt(content, path, isShare ? `${value}%` : value);
  if (!isRecord(changed)) return changed;
  const { name: _, severity, ...rest } = changed;
  const initial = isRecord(severity)
    ? (Object.entries(severity).find(([, when]) => when === "always")?.[0] ?? "info")
    : severity;
  return { ...rest, severity: initial };
}

function replaceAt(content: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(content))
    return content.map((one, index) => (index === key ? replaceAt(one, rest, value) : one));
  if (!isRecord(content)) return content;
  return { ...content, [key]: replaceAt(content[key], rest, value) };
}

/** `variants`: what each value would have opened. `judged`: the real alerts of the rule in the same weeks. */
export function suggestionOf(
  threshold: Threshold,
  variants: readonly { readonly value: number; readonly alerts: readonly Alert[] }[],
  judged: readonly Alert[],
  weeks: number,
): Suggestion {
  const acknowledged = judged.filter(isAcknowledged);
  const notRelevant = judged.filter(({ handling }) => handling?.relevant === false);
  const points = variants.map(({ value, alerts }) => ({
    value,
    isCurrent: value === threshold.current,
    alerts: alerts.length,
    alertsAWeek: Math.round((alerts.length / weeks) * 10) / 10,
    caught: acknowledged.filter((one) => alerts.some((alert) => isSameCase(alert, one))).length,
    notRelevant: notRelevant.filter((one) => alerts.some((alert) => isSameCase(alert, one))).length,
  }));
  const quiet = points.find(({ alerts }) => alerts > 0 && alerts <= weeks);
  const right = points.filter((point) => point.caught === acknowledged.length && point.notRelevant === 0);
  return {
    threshold,
    points,
    oneAWeek: quiet?.value ?? null,
    asPeopleSay: acknowledged.length === 0 ? null : (right.at(-1)?.value ?? null),
    judged: { acknowledged: acknowledged.length, notRelevant: notRelevant.length },
  };
}

/** Somebody took it, or said that it was right. */
function isAcknowledged({ handling }: Alert): boolean {
  if (handling?.relevant === false) return false;
  return (handling?.acknowledgedBy ?? handling?.assignee) !== undefined || handling?.relevant === true;
}

/** What makes the figures weak, in words; empty if nothing does. */
export function weaknessOf(
  { points, judged }: Suggestion,
  data: { readonly weeks: number; readonly mentions: number },
): readonly string[] {
  const now = points.find(({ isCurrent }) => isCurrent);
  return [
    ...(data.weeks < LEAST_WEEKS
      ? [
          `${data.weeks.toFixed(1)} weeks of mentions are too few for a rate a week; at least ${LEAST_WEEKS} are good`,
        ]
      : []),
    ...(points.every(({ alerts }) => alerts < LEAST_ALERTS)
      ? [`no value gave ${LEAST_ALERTS} alerts or more, so the rates are chance`]
      : []),
    ...(judged.acknowledged + judged.notRelevant < LEAST_JUDGED
      ? [
          `people judged ${judged.acknowledged + judged.notRelevant} alerts of the rule; ${LEAST_JUDGED} would say something (Acknowledge, Not relevant)`,
        ]
      : []),
    ...(now === undefined ? ["the current value could not be tried"] : []),
  ];
}

const LEAST_WEEKS = 3;
const LEAST_ALERTS = 3;
const LEAST_JUDGED = 5;
