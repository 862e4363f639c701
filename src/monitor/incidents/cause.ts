import type { Instant } from "../../lib/instant.ts";
import type { Incident, WholeIncident } from "../model/incident.ts";
import type { StoryMention } from "../model/mention.ts";
import { compareSeverity } from "../model/severity.ts";
import { type IncidentStep, isHandled } from "./incident-life.ts";
import { isNear } from "./join.ts";
import type { Material } from "./material.ts";

/** An incident that begins now. */
interface BeginningIncident {
  readonly group: string;
  readonly at: Instant;
  /** What its first alert has counted. */
  readonly mentions: readonly StoryMention[];
}

/** An open incident of another query, and the stories in it. */
export interface OtherIncident {
  readonly incident: Incident;
  readonly stories: Material["stories"];
}

export type Cause =
  | { readonly outcome: "PartOf"; readonly incident: Incident }
  | { readonly outcome: "Own"; readonly because: "NoOther" | "NothingShared" };

/** Fewer may be chance: everybody retweets the same joke. */
const LEAST_SHARED = 3;

/**
 * Whether an incident that begins has the cause of an incident of another query: at least a tenth of its mentions, and
 * three, tell stories that are told there. Words and authors do not count: people who complain about one brand complain
 * about its rivals, in the same words.
 */
export function decideCause(beginning: BeginningIncident, others: readonly OtherIncident[]): Cause {
  const { group, at, mentions } = beginning;
  const near = others.filter(({ incident }) => incident.group === group && isNear(incident, at));
  if (near.length === 0) return { outcome: "Own", because: "NoOther" };
  const enough = Math.max(LEAST_SHARED, mentions.length / 10);
  const found = near.findLast(
    ({ stories }) => mentions.filter(({ story }) => stories(story) > 0).length >= enough,
  );
  return found === undefined
    ? { outcome: "Own", because: "NothingShared" }
    : { outcome: "PartOf", incident: found.incident };
}

/** The incident that began becomes a part of `whole`, whose timeline says it, too. `because`: for its alert. */
export function asPartOf(whole: Incident, part: Incident): IncidentStep & { readonly because: string } {
  const { checkedUntil: at } = part;
  const because = `it shares stories with the incident of ${whole.queryName}, whose message shows it`;
  return {
    because,
    incident: { ...part, partOf: whole.id },
    entries: [
      { incidentId: part.id, at, kind: "Joined", detail: because },
      { incidentId: whole.id, at, kind: "NewFact", detail: `${part.queryName}, too: it shares stories` },
    ],
  };
}

/** "Acme, Brell": the queries of an incident, the one that speaks for it first. */
export function queryNamesOf({ incident, parts }: WholeIncident): string {
  return [incident, ...parts].map(({ queryName }) => queryName).join(", ");
}

/**
 * An incident with its parts, as one: as severe as the most severe, calm and over when all are. That a part began is a
 * new fact. What people do to it is done to the incident that speaks for it.
 */
export function asOne({ incident, parts }: WholeIncident): Incident {
  if (parts.length === 0) return incident;
  const all = [incident, ...parts];
  const isOver = all.every(({ status }) => status === "over");
  const isCalm = all.every(({ status }) => status === "over" || status === "watching");
  const newest = Math.max(...parts.map(({ openedAt }) => openedAt));
  const latest = (of: (one: Incident) => Instant | null) => Math.max(...all.map((one) => of(one) ?? 0));
  return {
    ...incident,
    severity: all.reduce(
      (most, { severity }) => (compareSeverity(severity, most) > 0 ? severity : most),
      incident.severity,
    ),
    status: isOver ? "over" : isCalm ? "watching" : isHandled(incident) ? "handled" : "open",
    alerts: all.reduce((sum, { alerts }) => sum + alerts, 0),
    lastSeenAt: latest((one) => one.lastSeenAt),
    uncalmUntil: latest((one) => one.uncalmUntil),
    calmSince: isCalm ? latest((one) => one.calmSince) : null,
    endedAt: isOver ? latest((one) => one.endedAt) : null,
    notifyCount: incident.notifyCount + parts.length,
    renotifyReason: newest > incident.notified.at ? "NewFact" : incident.renotifyReason,
  };
}
