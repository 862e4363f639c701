import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { HourCount, Incident } from "../model/incident.ts";
import type { StoryMention } from "../model/mention.ts";
import { compareSeverity } from "../model/severity.ts";
import { type Material, sharedWith } from "./material.ts";

/** An alert that has just fired, and is in no incident. */
export interface Newcomer {
  readonly alert: Pick<Alert, "severity">;
  readonly firedAt: Instant;
  /** The `incident` key of its rule; null: `never`. */
  readonly group: string | null;
  /** Whether it counts mentions: an alert on single mentions joins incidents, and begins none. */
  readonly counts: boolean;
  readonly mentions: readonly StoryMention[];
}

/** An incident that an alert might join, what its mentions say, and whether an alert of it mutes the newcomer. */
export interface JoinableIncident {
  readonly incident: Incident;
  readonly material: Material;
  readonly mutes: boolean;
  /** How many times what was expected its alerts have counted, at most: of all mentions, and of negative ones. */
  readonly surge: HourCount;
}

export type JoinReason = "MutedByIt" | "SharesStories" | "SharesAuthors" | "SharesWords" | "InItsWave";

type Joining =
  | { readonly outcome: "Joins"; readonly incident: Incident; readonly because: JoinReason }
  /** It begins an incident of its own. */
  | { readonly outcome: "Opens" }
  | { readonly outcome: "Apart"; readonly because: "RuleKeepsItApart" | "Small" | "NothingShared" };

/**
 * Whether an alert joins an incident, begins one, or stays alone. It joins the newest that it shares stories, authors or
 * words with, or that an inhibition lets mute it. Mentions without a count join while nearly all, or nearly all negative
 * ones, are about it. A warning or more on counts begins one; a single small alert does not.
 */
export function decideJoining(newcomer: Newcomer, incidents: readonly JoinableIncident[]): Joining {
  const { group, alert, counts } = newcomer;
  if (group === null) return { outcome: "Apart", because: "RuleKeepsItApart" };
  const near = incidents.filter(
    ({ incident }) => incident.group === group && isNear(incident, newcomer.firedAt),
  );
  for (const { incident, material, mutes, surge } of near.toReversed()) {
    if (mutes) return { outcome: "Joins", incident, because: "MutedByIt" };
    // What is milder, or only somebody who speaks of it later, is news of its own.
    if (incident.endedAt !== null && (!counts || compareSeverity(alert.severity, incident.severity) < 0))
      continue;
    const shared = sharedWith(newcomer.mentions, material);
    if (shared !== null) return { outcome: "Joins", incident, because: REASONS[shared] };
    if (!counts && isInWave(incident, surge, newcomer))
      return { outcome: "Joins", incident, because: "InItsWave" };
  }
  if (counts && compareSeverity(alert.severity, "warning") >= 0) return { outcome: "Opens" };
  return { outcome: "Apart", because: near.length > 0 ? "NothingShared" : "Small" };
}

function isNegative(mentions: readonly StoryMention[]): boolean {
  return mentions.length > 0 && mentions.every(({ mention }) => mention.sentiment === "negative");
}

/** So much more than usual that hardly a mention comes from anywhere else. */
const WAVE_TIMES = 10;

/**
 * Whether nearly all mentions of its query are about an incident that is not over, or nearly all negative ones, as this
 * one is: in its largest hour, or, before there was an hour of it, in what an alert of it has counted.
 */
function isInWave(
  { measure, status, usual, peak, uncalmUntil }: Incident,
  surge: HourCount,
  { firedAt, mentions }: Pick<Newcomer, "firedAt" | "mentions">,
): boolean {
  if (status === "watching" || firedAt - uncalmUntil >= HOUR) return false;
  const before = usual?.[Math.floor((firedAt % DAY) / HOUR)];
  const times = (name: keyof HourCount) =>
    Math.max(surge[name], before === undefined ? 0 : peak[name] / Math.max(1, before[name]));
  if (times("total") >= WAVE_TIMES) return true;
  return measure === "negative" && isNegative(mentions) && times("negative") >= WAVE_TIMES;
}

const REASONS = { stories: "SharesStories", authors: "SharesAuthors", words: "SharesWords" } as const;

/** Whether something of `at` may belong to it. The joining window is the life of the incident, and after its end the reopen window. */
export function isNear(incident: Incident, at: Instant): boolean {
  if (incident.endedAt !== null) return at <= reopensUntil(incident);
  return at <= Math.max(incident.checkedUntil, incident.lastSeenAt) + DAY;
}

/** Until when what belongs to an ended incident opens it again. A small one, or one that a person ended, stays ended. */
export function reopensUntil(incident: Incident): Instant {
  if (incident.endedAt === null) return Number.POSITIVE_INFINITY;
  const staysEnded = incident.handling.closedBy !== undefined || isSmall(incident);
  return incident.endedAt + (staysEnded ? 0 : REOPEN_WITHIN_MS);
}

/** Longer than any reopen window: incidents that ended earlier need not be read. */
export const REOPEN_WITHIN_MS = 12 * HOUR;

/** One warning that nothing joined: it ends as its rule says, and is not watched. */
export function isSmall({ severity, alerts }: Incident): boolean {
  return severity !== "critical" && alerts < 2;
}
