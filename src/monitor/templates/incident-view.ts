import { HOUR, type Instant } from "../../lib/instant.ts";
import { countedSubject } from "../../lib/numbers.ts";
import type { Alert } from "../model/alert.ts";
import type { Incident, IncidentCounts, IncidentEntry } from "../model/incident.ts";
import type { Severity } from "../model/severity.ts";
import { shortLine } from "./escape.ts";
import { formatNumber, formatTime, formatTimeAfter } from "./formatters.ts";

/** The incident that a message is about, for templates. */
export interface IncidentView {
  readonly id: string;
  readonly status: Incident["status"];
  /** "757 negative mentions from 10:40 to 16:20; the most in one hour: 93, until 11:55; in the last hour: 41". */
  readonly summary: string;
  /** The numbers of the summary: counted from the mentions of [from, to), by their own time. */
  readonly counts: IncidentCounts;
  /** Since when it is calm; null while it is not watched, or over. */
  readonly calmSince: Instant | null;
  /** The day of it: 1 at the beginning. */
  readonly day: number;
  /** How many alerts it has. */
  readonly count: number;
  /** The others that joined it, the newest first, a few. */
  readonly alerts: readonly {
    readonly severity: Severity;
    readonly title: string;
    /** What a mention of it says; empty for an alert on counts. Hostile. */
    readonly text: string;
    readonly at: Instant;
    readonly isOver: boolean;
  }[];
}

/** An alert of the incident: the title of its rule, and what is said in it. */
interface IncidentAlertFacts {
  readonly alert: Alert;
  readonly title: string;
  readonly text: string;
}

export interface IncidentFacts {
  readonly incident: Incident;
  /** The alert that describes it. */
  readonly face: Alert;
  /** The alerts that joined, without the one that describes it, the newest first. */
  readonly joined: readonly IncidentAlertFacts[];
  readonly counts: IncidentCounts;
  /** The incidents of other queries that it speaks for. */
  readonly parts?: readonly { readonly incident: Incident; readonly counts: IncidentCounts }[];
  /** Its timeline, oldest first. */
  readonly entries: readonly IncidentEntry[];
}

const MOST_JOINED = 5;

export function buildIncidentView(facts: IncidentFacts, timezone: string): IncidentView {
  const { incident, joined } = facts;
  return {
    id: incident.id,
    status: incident.status,
    summary: summarizeIncident(facts, timezone),
    counts: facts.counts,
    calmSince: incident.calmSince,
    day: incident.day,
    count: incident.alerts,
    alerts: joined.slice(0, MOST_JOINED).map(({ alert, title, text }) => ({
      severity: alert.severity,
      title: shortLine(title, 80),
      text: shortLine(text, 140),
      at: alert.firedAt ?? alert.openedAt,
      isOver: alert.resolvedAt !== null,
    })),
  };
}

/** What was counted in it, in a sentence for each query: "93 mentions from 10:40 to 11:20. Brell, too: 12 mentions from …". */
export function summarizeIncident(
  { incident, counts, parts = [] }: Pick<IncidentFacts, "incident" | "counts" | "parts">,
  timezone: string,
): string {
  return [
    summarizeCounts(incident, counts, timezone),
    ...parts.map(
      (part) =>
        `${shortLine(part.incident.queryName, 60)}, too: ${summarizeCounts(part.incident, part.counts, timezone)}`,
    ),
  ].join(". ");
}

function summarizeCounts(incident: Incident, counts: IncidentCounts, timezone: string): string {
  const { measure } = incident;
  const subject = measure === "negative" ? "negative mentions" : "mentions";
  const time = (at: Instant) => formatTimeAfter(at, counts.from, timezone);
  const share =
    measure === "negative" && counts.total > counts.negative
      ? ` of ${formatNumber(counts.total)} in all`
      : "";
  const count = countedSubject(counts[measure], subject);
  const span = `${count}${share} from ${formatTime(counts.from, timezone)} to ${time(counts.to)}`;
  const { most, lastHour } = counts;
  if (most === null || counts.to - counts.from <= HOUR) return span;
  const whole = `${span}; the most in one hour: ${formatNumber(most.count)}, until ${time(most.until)}`;
  // Whether it grows or fades.
  const goesOn = incident.status !== "over" && incident.calmSince === null && most.until < counts.to;
  return goesOn ? `${whole}; in the last hour: ${formatNumber(lastHour[measure])}` : whole;
}

/** What is new, for a message that is sent because of it; null for other messages. */
export function newsOf(
  { incident, entries, joined, counts }: IncidentFacts,
  kind: string,
  timezone: string,
): { readonly label: string; readonly text: string } | null {
  const last = (kind: IncidentEntry["kind"]) => entries.findLast((entry) => entry.kind === kind);
  if (kind === "day") {
    const detail = last("DayBegan")?.detail.replace(/^day \d+ begins:? ?/, "") ?? "";
    return { label: `Day ${incident.day} begins`, text: detail === "" ? "it goes on" : detail };
  }
  if (kind === "fact") {
    const entry = entries.findLast(
      ({ kind, alertId }) => kind === "NewFact" || (kind === "Merged" && alertId !== undefined),
    );
    const about = joined.find(({ alert }) => alert.id === entry?.alertId);
    if (about === undefined) {
      // Another query: "Brell, too: it shares stories", or "Brell, too, by ann".
      const [who = "", why] = entry?.detail.split(/: (?=it shares)|(?<=, too), (?=by )/) ?? [];
      return why === undefined ? null : { label: `New: ${shortLine(who, 80)}`, text: why };
    }
    const text = about.text === "" ? currentCount(incident, counts, timezone) : shortLine(about.text, 140);
    return { label: `New: ${shortLine(about.title, 80)}`, text };
  }
  if (kind === "reminder") return { label: "Still going on", text: currentCount(incident, counts, timezone) };
  if (kind === "escalated")
    return {
      label: `Now ${incident.severity.toUpperCase()}`,
      text: currentCount(incident, counts, timezone),
    };
  if (kind === "doubled") {
    const grew = last("Grew");
    const [label = "", text = ""] = grew?.detail.split(": ") ?? [];
    if (grew === undefined || text === "") return null;
    // The message may be brought up to date hours later: the count stays that of its time.
    const time = formatTimeAfter(grew.at, incident.openedAt, timezone);
    return { label, text: text.replace(" in 15 min,", ` in the 15 min to ${time},`) };
  }
  if (kind !== "wave") return null;
  const wave = last("NewWave")?.detail ?? "";
  return wave.includes("calm for") ? { label: "Another wave", text: wave } : null;
}

/** In its first hour it is counted from its beginning, as in the sentence below: the last hour has mentions from before it. */
function currentCount(incident: Incident, counts: IncidentCounts, timezone: string): string {
  const { from, to } = counts;
  if (to - from >= HOUR) return lastHourCount(incident, counts);
  const subject = incident.measure === "negative" ? "negative mentions" : "mentions";
  const count = countedSubject(counts[incident.measure], subject);
  return `${count} from ${formatTime(from, timezone)} to ${formatTimeAfter(to, from, timezone)}`;
}

/** What is now: "36 negative mentions in the last hour". */
export function lastHourCount({ measure }: Incident, { lastHour }: IncidentCounts): string {
  const subject = measure === "negative" ? "negative mentions" : "mentions";
  return `${countedSubject(lastHour[measure], subject)} in the last hour`;
}
