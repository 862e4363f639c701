import { capitalised } from "../../lib/text.ts";
import type { Alert, Explanation } from "../model/alert.ts";
import type { CategoryChoice, Mention } from "../model/mention.ts";
import { FEEDS_PREFIX } from "../model/query.ts";
import type { ShownStory } from "../model/shown.ts";
import { storyKey } from "../model/story.ts";
import { countedBy, titleOf } from "../model/wording.ts";
import { announce, buildHeadline, growthOf, leadOf, peakOf, reasonOf, stepOf } from "./alert-words.ts";
import {
  buildFindings,
  describeListed,
  describeStory,
  howOften,
  type ListedMention,
  NEW_WORDS,
  newWordsOf,
  TOPICS,
  topicsOf,
} from "./build-findings.ts";
import { safeUrl, shortLine } from "./escape.ts";
import { buildIncidentView, type IncidentFacts, newsOf } from "./incident-view.ts";
import {
  buildMentionView,
  deletedMentions,
  MAIN_STORY,
  type MentionView,
  topMentions,
  typicalMention,
} from "./mention-view.ts";
import type { AlertView } from "./view.ts";

export interface AlertViewFacts {
  readonly kind: AlertView["kind"];
  readonly alert: Alert;
  /** Candidate mentions to show, in any order; a few hundred are enough. */
  readonly mentions: readonly Mention[];
  /** How many of its mentions were deleted; default 0. */
  readonly deleted?: number;
  /** The story of each mention; default: the story of its own text. */
  readonly storyOf?: (mention: Mention) => string;
  /** The story that most of its mentions share, with its key; null or absent: none is shared. */
  readonly story?: (ShownStory & { readonly key: string }) | null;
  /** Those of the mentions whose authors people have on their lists; absent: none. */
  readonly listed?: readonly ListedMention[];
  readonly rule: { readonly name: string; readonly title?: string; readonly description: string | null };
  /** The findings at the time of the notification; null or absent if there are none. */
  readonly explanation?: Explanation | null;
  /** How many alerts of its rule on its query fired in the days before it; absent if that is not known. */
  readonly before?: { readonly alerts: number; readonly days: number };
  /** Name of the project. */
  readonly project: string;
  /** IANA zone of the reader. */
  readonly timezone: string;
  /** The alert in the console, or null. */
  readonly consoleUrl: string | null;
  /** Other alerts in the same message, the most important first; the first MOST_LISTED are enough. */
  readonly more?: readonly Alert[];
  /** The number of other alerts that are not in `more`, and their kinds. */
  readonly unlisted?: { readonly count: number; readonly others: AlertView["more"]["others"] };
  /** The incident that the alert stands for; null or absent: none. */
  readonly incident?: IncidentFacts | null;
  /** For an escalation step at `to`: since when the alert has waited for somebody. */
  readonly waited?: AlertView["waited"];
  readonly actions?: readonly { readonly label: string; readonly url: string }[];
  /** What somebody corrected of one of the mentions from a message; absent: nobody did. */
  readonly corrected?: NonNullable<Alert["handling"]>["corrected"];
  /** The subcategories in which people may put a mention of the feeds. */
  readonly categories?: readonly CategoryChoice[];
}

/** Builds the view of one alert: plain data for the templates. The same facts give the same view. */
export function buildAlertView(facts: AlertViewFacts): AlertView {
  const { alert, rule } = facts;
  const { first, mentions } = shownMentions(facts);
  const { deleted = 0 } = facts;
  const inTheirPlace = deleted === 0 ? [] : [deletedMentions(deleted)];
  const headline = buildHeadline(alert, mentions, deleted);
  const quote = quoteOf(facts, first);
  const title = shortLine(rule.title ?? titleOf(rule.name), 80);
  const announced = announce(alert, headline, mentions, { quote: quote?.words ?? null, title });
  const { incident = null } = facts;
  // An incident has numbers of its own.
  const mentionsCount = incident === null ? alert.mentions : 0;
  const news = incident === null ? null : newsOf(incident, facts.kind, facts.timezone);
  const growth = news ?? growthOf(alert, facts.kind);
  const reason = reasonOf(alert);
  const step = stepOf(alert);
  // A reminder says what is now: the window of the lead may be long over.
  const lead = facts.kind === "reminder" ? null : leadOf(alert, facts.timezone);
  const actions = actionsOf(alert, facts.actions ?? []);
  // What grew takes the place of the rule's numbers: those that the lead compares are said below it then.
  const isSaid = announced.text === headline && (growth === null || lead === null);
  const about = aboutOf(facts, quote, growth === null || alert.resolvedAt !== null);
  const isSingle = alert.windowTo <= alert.windowFrom && alert.mentions === 1 && incident === null;
  return {
    kind: facts.kind,
    severity: alert.severity,
    state: alert.state,
    ruleName: shortLine(rule.name, 100),
    title,
    ruleDescription: rule.description === null ? null : shortLine(rule.description, 300),
    query: shortLine(alert.queryName, 60),
    project: shortLine(facts.project, 60),
    headline: shortLine(headline, 120),
    announcement: {
      query: announced.query === null ? null : shortLine(announced.query, 60),
      text: shortLine(announced.text, 180),
    },
    lead: lead === null ? null : shortLine(lead, 200),
    growth: growth === null ? null : { label: growth.label, text: shortLine(growth.text, 200) },
    reason: { label: reason.label, text: ended(shortLine(capitalised(reason.text), 400)) },
    severityReason: step === null ? null : shortLine(step, 160),
    // An incident has its own numbers.
    peak: incident === null ? peakOf(alert) : null,
    handledBy: handledBy(alert),
    because: shortLine(capitalised(alert.because), 500),
    openedAt: alert.openedAt,
    lastSeenAt: alert.lastSeenAt,
    resolvedAt: alert.resolvedAt,
    windowFrom: alert.windowFrom,
    windowTo: alert.windowTo,
    timezone: facts.timezone,
    mentionsCount,
    counted: shortLine(countedBy({ ...alert, mentions: mentionsCount }), 120),
    notifyCount: alert.notifyCount,
    values: alert.values,
    mentions: [...mentions, ...inTheirPlace],
    findings: findingsOf(facts, first, about),
    // The notifier that sends the picture sets this.
    hasChart: false,
    labels: labelsOf(alert),
    more: moreOf(facts.more ?? [], facts.unlisted ?? { count: 0, others: [] }),
    waited: facts.waited ?? null,
    incident: incident === null ? null : buildIncidentView(incident, facts.timezone),
    about,
    wasAbout: wasAbout(announced.quote, alert.resolvedAt === null || about !== null ? null : first, isSingle),
    measured: isSaid || alert.windowTo <= alert.windowFrom ? null : shortLine(headline, 200),
    isSingle,
    handling: handlingOf(alert, facts.corrected),
    correctable: correctableOf(facts, mentions[0]),
    actions,
    primaryActions: actions.filter(({ isPrimary }) => isPrimary).length,
    consoleUrl: safeUrl(facts.consoleUrl),
  };
}

const MOST_MENTIONS = 5;

/** The mentions that a message shows, and the first of them as it is stored. */
function shownMentions(facts: AlertViewFacts) {
  const { story = null, storyOf = storyKey } = facts;
  const top = topMentions(facts.mentions, MOST_MENTIONS, facts.storyOf);
  // One story has one number in a message: that of all that is stored.
  const mentions = top.map(({ mention, copies }, index) => {
    const shown = asCorrected(mention, facts.corrected);
    return story?.key === storyOf(mention)
      ? buildMentionView(index === 0 ? story.first : shown, story.mentions)
      : buildMentionView(shown, copies);
  });
  return { first: top[0]?.mention ?? null, mentions };
}

/** What was found out about it, without what `about` says already. */
function findingsOf(
  facts: AlertViewFacts,
  first: Mention | null,
  about: string | null,
): AlertView["findings"] {
  const { alert, timezone, story = null, storyOf = storyKey, listed = [], before } = facts;
  // The text says how the first shown story spread: readers would not know which other story is meant.
  const isStoryFirst = story !== null && first !== null && story.key === storyOf(first);
  // Of an alert that is over, what it was about is enough.
  const found = alert.resolvedAt === null ? buildFindings(alert, facts.explanation ?? null, timezone) : [];
  return [
    ...(isStoryFirst
      ? [{ part: "who" as const, label: "Story", text: describeStory(story, alert, timezone) }]
      : []),
    ...(listed.length === 0
      ? []
      : [{ part: "who" as const, label: "On our lists", text: describeListed(listed) }]),
    ...found.filter(({ label, text }) => about !== `${label}: ${text}.`),
    ...(before === undefined ? [] : [{ part: "size" as const, label: "How often", text: howOften(before) }]),
  ];
}

/** With a full stop: another sentence may follow. */
function ended(text: string): string {
  return text === "" || /[.!?…]$/u.test(text) ? text : `${text}.`;
}

function labelsOf(alert: Alert): AlertView["labels"] {
  return (
    Object.entries(alert.labels)
      // The key of a story means nothing to a reader.
      .filter(([name]) => name !== "query" && name !== "story")
      .slice(0, 5)
      .map(([name, value]) => ({ name: shortLine(name, 30), value: shortLine(value, 80) }))
  );
}

/** The mention as people see it after a correction that the source has not brought back yet. */
function asCorrected(mention: Mention, corrected: AlertViewFacts["corrected"]): Mention {
  return corrected?.what === "sentiment" && isNewer(corrected, mention)
    ? { ...mention, sentiment: corrected.to }
    : mention;
}

/** The source has not brought back yet what somebody corrected. */
function isNewer(corrected: NonNullable<AlertViewFacts["corrected"]>, mention: Mention): boolean {
  return corrected.resourceId === mention.resourceId && mention.updatedAt < corrected.at;
}

function correctableOf(
  { alert, mentions, deleted = 0, categories = [], corrected }: AlertViewFacts,
  shown: MentionView | undefined,
): AlertView["correctable"] {
  const [mention, another] = mentions;
  if (mention === undefined || another !== undefined || deleted > 0 || alert.windowTo > alert.windowFrom)
    return null;
  const { queryId, resourceId } = mention;
  if (!queryId.startsWith(FEEDS_PREFIX)) return null;
  const isIn = (id: number): boolean =>
    corrected?.category?.id === id && isNewer(corrected, mention)
      ? corrected.category.isIn
      : mention.categories.some((one) => one.id === String(id));
  return {
    ...{ queryId, resourceId, sentiment: shown?.sentiment ?? null },
    categories: categories.map(({ id, name }) => ({ id, name: shortLine(name, 60), isIn: isIn(id) })),
  };
}

function handlingOf(
  { state, handling }: Alert,
  corrected: AlertViewFacts["corrected"],
): AlertView["handling"] {
  const name = (text: string | undefined) => (text === undefined ? null : shortLine(text, 80));
  return {
    // An acknowledgement of a milder alert does not count for a more severe one.
    acknowledgedBy: state === "firing" ? null : name(handling?.acknowledgedBy),
    assignee: name(handling?.assignee),
    closedBy: name(handling?.closedBy),
    endedBecause: state === "resolved" ? name(handling?.endedBecause) : null,
    isRelevant: handling?.relevant !== false,
    corrected:
      corrected === undefined
        ? null
        : { what: corrected.what, to: shortLine(corrected.to, 80), by: shortLine(corrected.by, 80) },
  };
}

function handledBy({ handling }: Alert): string | null {
  const name = handling?.assignee ?? handling?.acknowledgedBy ?? handling?.closedBy;
  return name === undefined ? null : shortLine(name, 80);
}

/** The first action is the button, until somebody has done it. */
function actionsOf(alert: Alert, actions: NonNullable<AlertViewFacts["actions"]>): AlertView["actions"] {
  const isOpen = alert.state === "firing";
  return actions.flatMap(({ label, url }, index) => {
    const safe = safeUrl(url);
    return safe === null ? [] : [{ label, url: safe, isPrimary: isOpen && index === 0 }];
  });
}

interface Quote {
  readonly words: string;
  /** False of a mention that stands for those that tell it in other words. */
  readonly isStory: boolean;
}

/**
 * The words of the story that many of the mentions tell, as it was first told; where none is and it is over, those of
 * the mention with most of its new words. Extractive: they are those of a mention.
 */
function quoteOf(
  { alert, mentions, explanation, story = null, storyOf = storyKey }: AlertViewFacts,
  top: Mention | null,
): Quote | null {
  if (alert.windowTo <= alert.windowFrom || top === null) return null;
  const tellers = mentions.filter((one) => storyOf(one) === storyOf(top)).length;
  const isMain = tellers >= MAIN_STORY.atLeast && tellers >= MAIN_STORY.share * mentions.length;
  const typical = alert.resolvedAt === null ? null : typicalMention(mentions, explanation?.words ?? [], top);
  const first = !isMain ? typical : story?.key === storyOf(top) ? story.first : top;
  const words = wordsOf(first);
  return words === null ? null : { words, isStory: isMain };
}

function wordsOf(mention: Mention | null): string | null {
  return shortLine(mention?.title ?? mention?.text ?? "", 140) || null;
}

/** One sentence; the headline may have the words already. How many tell the story is said with the story. */
function aboutOf(
  { mentions, explanation, alert }: AlertViewFacts,
  quote: Quote | null,
  isInHeadline: boolean,
): string | null {
  if (quote?.isStory) return isInHeadline ? null : `About “${quote.words}”.`;
  if (alert.windowTo <= alert.windowFrom || mentions.length === 0) return null;
  const words = newWordsOf(explanation ?? { words: [] });
  if (words !== "") return `${NEW_WORDS}: ${words}.`;
  const topics = alert.resolvedAt === null ? "" : topicsOf(explanation ?? { topics: [] });
  return topics === "" ? null : `${TOPICS}: ${topics}.`;
}

/** `example`: one of its mentions, where nothing else says what they were about. */
function wasAbout(quote: string | null, example: Mention | null, isSingle: boolean): string | null {
  if (quote !== null) return `It was about ${quote}.`;
  const words = wordsOf(example);
  if (words === null) return null;
  return isSingle ? `It was “${words}”.` : `Among them: “${words}”.`;
}

export const MOST_LISTED = 5;

function moreOf(
  alerts: readonly Alert[],
  { count, others }: NonNullable<AlertViewFacts["unlisted"]>,
): AlertView["more"] {
  const listed = alerts.slice(0, MOST_LISTED).map((alert) => ({
    severity: alert.severity,
    query: shortLine(alert.queryName, 60),
    ruleName: shortLine(alert.rule, 100),
    because: shortLine(capitalised(alert.because), 160),
    isOver: alert.resolvedAt !== null,
  }));
  const unlisted = alerts.length - listed.length + count;
  return {
    count: listed.length + unlisted,
    alerts: listed,
    unlisted,
    others: others.slice(0, MOST_LISTED).map((one) => ({
      count: one.count,
      query: shortLine(one.query, 60),
      ruleName: shortLine(one.ruleName, 100),
    })),
  };
}
