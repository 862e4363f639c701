import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import { type Alert, firedAtOf, windowAt } from "../model/alert.ts";
import type { HourCount, Incident } from "../model/incident.ts";
import type { StoryMention } from "../model/mention.ts";
import type { Query } from "../model/query.ts";
import { countIn, PACE_MS, wavesOf } from "./incident-life.ts";

type Buckets = readonly (HourCount & { readonly at: Instant })[];

/**
 * The incident that an alert begins. `mentions`: what the alert has counted; `buckets`: what the query had in the eight
 * days before it fired.
 */
export function beginIncident(
  { projectId, queryId, name }: Pick<Query, "projectId" | "queryId" | "name">,
  alert: Alert,
  group: string,
  mentions: readonly StoryMention[],
  buckets: Buckets,
): Incident {
  const at = firedAtOf(alert);
  const { from } = windowAt(alert, at);
  const negative = mentions.filter(({ mention }) => mention.sentiment === "negative").length;
  const measure = negative * 5 >= mentions.length * 2 && negative > 0 ? "negative" : "total";
  return {
    id: uuid7(alert.openedAt),
    projectId,
    queryId,
    queryName: name,
    group,
    leaderId: alert.id,
    status: "open",
    severity: alert.severity,
    openedAt: alert.openedAt,
    // The window of an alert that turns in the mood has hours of before it.
    countedFrom: Math.max(Math.min(from, alert.openedAt), alert.openedAt - HOUR),
    lastSeenAt: alert.lastSeenAt,
    alerts: 1,
    uncalmUntil: at,
    calmSince: null,
    endedAt: null,
    checkedUntil: at,
    notifyCount: 1,
    renotifyReason: null,
    waves: wavesOf([alert]),
    notified: { at, count: countIn(buckets, at - PACE_MS, at)[measure] },
    measure,
    usual: usualOf(buckets, Math.min(alert.openedAt, from)),
    peak: countIn(buckets, at - HOUR, at),
    day: 1,
    factAt: at,
    handling: { callingSince: at },
  };
}

/** Mentions an hour, by hour of the day (UTC), before `to`; null if less than a day is known. */
function usualOf(buckets: Buckets, to: Instant): readonly HourCount[] | null {
  const before = buckets.filter(({ at }) => at < to - HOUR);
  const [first] = before;
  if (first === undefined || to - first.at < DAY) return null;
  const days = (to - HOUR - first.at) / DAY;
  const all = countIn(before, 0, to);
  return Array.from({ length: 24 }, (_, hour) => {
    const atHour = countIn(
      before.filter(({ at }) => Math.floor((at % DAY) / HOUR) === hour),
      0,
      to,
    );
    const usual = (name: keyof HourCount) =>
      Math.round(100 * Math.max(atHour[name] / days, all[name] / days / 24)) / 100;
    return { negative: usual("negative"), total: usual("total") };
  });
}
