import {
  describeActor,
  eventAt,
  formatTime,
  type IncidentFigures,
  type IncidentNote,
  newestOf,
} from "#monitor";
import { formatMinutes } from "../../lib/duration.ts";
import { DAY, floorTo, HOUR, type Instant } from "../../lib/instant.ts";
import { counted, formatNumber } from "../../lib/numbers.ts";
import { buildVolume, type QueryVolume } from "../parts/build-volume.ts";
import { timelineOf, withoutNames } from "../parts/incident-story.ts";
import { type IncidentStory, type IncidentWork, spanOf } from "../parts/incident-work.ts";
import { formatCompact, shorten } from "../parts/words.ts";

/** An incident when it is over, as its page and its document show it: text alone, without a name of an author. */
export interface Review {
  readonly title: string;
  /** From when to when it is counted, and whether it is over. */
  readonly span: string;
  /** Label and value. */
  readonly figures: readonly (readonly [string, string])[];
  readonly learned: ReviewNote | null;
  readonly statements: readonly ReviewNote[];
  readonly timeline: readonly { readonly when: string; readonly what: string; readonly detail: string }[];
  readonly stories: readonly { readonly mentions: string; readonly words: string; readonly detail: string }[];
  /** By query and hour. */
  readonly volume: readonly QueryVolume[];
}

export interface ReviewNote {
  /** When, and by whom. */
  readonly when: string;
  readonly status: string | null;
  readonly text: string;
}

/** A longer incident is drawn from its end back. */
const MOST_HOURS = (31 * DAY) / HOUR;

/** Everything is counted again from the mentions: late ones are in, and deleted ones out. */
export async function readReview(
  { facts }: Pick<IncidentWork, "facts">,
  story: IncidentStory,
  zone: string,
): Promise<Review> {
  const { incident, parts } = story;
  const whole = [incident, ...parts];
  const { from, to } = spanOf(whole);
  const firstHour = Math.max(floorTo(from, HOUR), floorTo(to - 1, HOUR) - (MOST_HOURS - 1) * HOUR);
  const hours = (floorTo(to - 1, HOUR) - firstHour) / HOUR + 1;
  const queryIds = [...new Set(whole.map(({ queryId }) => queryId))];
  const [figures, counts] = await Promise.all([
    facts.incidentFigures(incident, queryIds, from, to),
    facts.incidentVolume(incident, whole, Math.max(from, firstHour), to),
  ]);
  const volume = buildVolume(counts, firstHour, hours);
  return composeReview(story, { figures, volume, from, to }, zone);
}

function composeReview(
  story: IncidentStory,
  counted: {
    readonly figures: IncidentFigures;
    readonly volume: readonly QueryVolume[];
    readonly from: Instant;
    readonly to: Instant;
  },
  zone: string,
): Review {
  const { incident, entries, notes, stories } = story;
  const time = (at: Instant) => formatTime(at, zone);
  const shown = (note: IncidentNote): ReviewNote => ({
    when: `${time(note.at)}, by ${describeActor(note.actor)}`,
    status: note.status,
    text: note.text,
  });
  const statements = notes.filter(({ kind }) => kind === "statement");
  const learned = newestOf(notes, "lesson");
  return {
    title: `${incident.queryName}: review of an incident`,
    span: `${time(counted.from)} to ${time(counted.to - 1)}${incident.endedAt === null ? "; it is not over: all numbers are so far" : ""}`,
    figures: figuresOf(story, counted, time),
    learned: learned === null ? null : shown(learned),
    statements: statements.map(shown),
    timeline: timelineOf(entries, notes, "Outsiders").map(({ at, what, detail }) => ({
      ...{ when: time(at), what, detail },
    })),
    stories: stories.map(({ mentions, first, widest }) => {
      const reach = widest.reach ?? widest.followers;
      return {
        mentions: mentionsOf(mentions),
        words: withoutNames(
          shorten(first.title ?? first.text ?? first.domain ?? "a mention without text", 300),
        ),
        detail: [
          `first ${time(eventAt(first))}`,
          ...(first.domain === null ? [] : [`on ${shorten(first.domain, 60)}`]),
          ...(reach === null ? [] : [`largest reach ${formatCompact(reach)}`]),
        ].join(", "),
      };
    }),
    volume: counted.volume,
  };
}

function mentionsOf(n: number): string {
  return counted(n, "mention");
}

function figuresOf(
  { incident, members, entries, notes }: IncidentStory,
  { figures, volume }: { readonly figures: IncidentFigures; readonly volume: readonly QueryVolume[] },
  time: (at: Instant) => string,
): Review["figures"] {
  const { mentions, negative, neutral, positive, authors, sites, languages } = figures;
  const share = (n: number) =>
    `${formatNumber(n)}${mentions > 0 ? ` (${Math.round((100 * n) / mentions)}%)` : ""}`;
  const [peak] = volume.map((one) => one.peak).sort((a, b) => b.total - a.total);
  const taken = entries.find(({ kind }) => kind === "Handled");
  const statement = notes.find(({ kind }) => kind === "statement");
  const after = (at: Instant) => `${formatMinutes(Math.max(0, at - incident.openedAt))} after it began`;
  return [
    ["Severity", incident.severity],
    ["Began", time(incident.openedAt)],
    ["Over", incident.endedAt === null ? "not yet" : time(incident.endedAt)],
    ["Somebody took it", taken === undefined ? "nobody did" : after(taken.at)],
    ["First statement", statement === undefined ? "none" : after(statement.at)],
    ["Mentions, each counted once", formatNumber(mentions)],
    ["Negative", share(negative)],
    ["Neutral", share(neutral)],
    ["Positive", share(positive)],
    ["Different authors", formatNumber(authors)],
    ["Sites", formatNumber(sites)],
    ["Languages", formatNumber(languages)],
    [
      "Largest hour of one query",
      peak === undefined ? "none" : `${mentionsOf(peak.total)}, from ${time(peak.hour)}`,
    ],
    ["Alerts", formatNumber(members.length)],
  ];
}
