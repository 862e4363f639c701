import type { Clock } from "../../../lib/clock.ts";
import { DAY } from "../../../lib/instant.ts";
import type { PngRenderer } from "../../charts/png-renderer.ts";
import { type Alert, firedAtOf } from "../../model/alert.ts";
import type { CategoryChoice, MentionCorrections } from "../../model/mention.ts";
import type { Notification } from "../../model/notification.ts";
import { OPERATOR_RULES } from "../../model/operator-rules.ts";
import { OWN_QUERY, type Query, type WatchedQuery } from "../../model/query.ts";
import type { Rule } from "../../rules/rule.ts";
import type { Facts, Stores } from "../../store/stores.ts";
import { type AlertViewFacts, buildAlertView, MOST_LISTED } from "../../templates/build-alert-view.ts";
import { storedDigest } from "../../templates/digest-view.ts";
import { largestStory } from "../../templates/mention-view.ts";
import type { DeliverParts } from "../deliver/deliver.ts";
import { drawAlertChart } from "./alert-chart.ts";
import { mentionsOfAlert } from "./alert-mentions.ts";
import { explainAlert } from "./explain-alert.ts";
import { incidentFacts, incidentOf, restate } from "./incident-facts.ts";
import { recountPeak } from "./recount-peak.ts";
import { createSummaries, type Summarize } from "./summaries.ts";

export interface ViewParts {
  readonly stores: Stores;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly timezone: string;
  readonly clock: Pick<Clock, "now">;
  /** Makes the charts of messages; absent if nothing is sent. */
  readonly pictures?: Pick<PngRenderer, "render">;
  /** Address of the console, without a slash at its end; null if readers cannot reach it. */
  readonly consoleUrl: () => string | null;
  /** Absent: what an incident is about is said in the words of its mentions only. */
  readonly summarize?: Summarize | undefined;
  /** The subcategories in which people may put a mention of the feeds. Absent: none. */
  readonly categories?: MentionCorrections["categories"] | undefined;
  /** The link with which a receiver unsubscribes from a digest; null for none. */
  readonly unsubscribeUrl?: (digest: string, receiver: string) => string | null;
  /** The language of dates for this receiver in a digest; null for that of the digest. */
  readonly languageOf?: (digest: string, receiver: string) => string | null;
  /** Links with which this receiver can act on the alert without logging in. */
  readonly actionsFor?: (alert: Alert, receiver: string) => readonly { label: string; url: string }[];
}

/** The content of a notification, from the facts at the time of sending. */
export function createViewOf(parts: ViewParts): DeliverParts["viewOf"] {
  const withSummary = parts.summarize === undefined ? null : createSummaries(parts.summarize);
  return async (notification) => {
    if (notification.digest !== null) {
      const { name, localDate } = notification.digest;
      const body = await parts.stores.digests.body(name, localDate);
      if (body === null) return null;
      const unsubscribeUrl = parts.unsubscribeUrl?.(name, notification.receiver) ?? null;
      const view = storedDigest(body);
      const to = view.page === null ? null : await addressOf(parts.stores, view.page.reader);
      if (view.page !== null && to === null) return null;
      const language = parts.languageOf?.(name, notification.receiver) ?? view.language;
      return { about: "digest", view: { ...view, language, unsubscribeUrl }, ...(to !== null && { to }) };
    }
    // One state of the tables: a message that counts two mentions shows two, and covers the news of the second.
    const categories = (await parts.categories?.()) ?? [];
    const made = await parts.stores.snapshot((stores) =>
      alertView({ ...parts, stores }, notification, categories),
    );
    // No transaction waits for a model.
    if (made === null || withSummary === null) return made;
    return { ...made, view: await withSummary(made.view, made.contentVersion) };
  };
}

/** Null: the user has ended since, or has none. */
async function addressOf({ users }: Stores, name: string): Promise<string | null> {
  const user = await users.find(name);
  return user === null || user.endedAt !== null ? null : user.email;
}

async function alertView(
  parts: Omit<ViewParts, "stores"> & { readonly stores: Facts },
  notification: Notification,
  categories: readonly CategoryChoice[],
) {
  const { projectId, alertId, kind } = notification;
  if (alertId === null || kind === "digest") return null;
  // One that was sent covers nothing any more.
  const isDue = notification.state === "due";
  const also = notification.also ?? [];
  const [listed, unlisted] = [also.slice(0, MOST_LISTED), also.slice(MOST_LISTED)];
  const [found, incident, content, known, others, behind] = await Promise.all([
    parts.stores.alerts.find(projectId, alertId),
    incidentOf(parts.stores, projectId, alertId),
    parts.stores.erasures.contentOf(projectId, alertId),
    parts.stores.alerts.findMany(projectId, listed),
    parts.stores.alerts.countByRule(projectId, unlisted),
    isDue ? parts.stores.notifications.waitingBehind(notification) : [],
  ]);
  const stored = incident?.alert ?? found;
  const query = stored === null ? null : await parts.stores.queries.find(projectId, stored.queryId);
  if (stored === null || query === null) return null;
  const rule = parts.rulesFor(query).find((one) => one.name === stored.rule);
  const url = parts.consoleUrl();
  const whole = incident === null ? null : await incidentFacts(parts.stores, parts.rulesFor(query), incident);
  const span = whole?.counts ?? spanOfAlert(stored);
  const explanation =
    kind === "test"
      ? null
      : await explainAlert(parts.stores, stored, rule, { now: parts.clock.now(), span, kind, content });
  const counted = kind === "test" ? stored : await recountPeak(parts.stores, stored, rule);
  const alert = whole === null ? counted : restate(counted, whole);
  const chart = chartOf(alert, explanation, parts);
  const isOfMentions = kind !== "test" && query.queryId !== OWN_QUERY.queryId;
  const [mentions, earlier] = await Promise.all([
    shownMentions(parts.stores, alert, incident?.face.id ?? alert.id, rule),
    isOfMentions ? before(parts.stores, alert, query) : {},
  ]);
  const view = buildAlertView({
    kind,
    alert,
    incident: whole,
    explanation,
    ...mentions,
    deleted: content.forgotten,
    rule: {
      name: alert.rule,
      ...(rule !== undefined && { title: rule.title }),
      description: rule?.description ?? ownDescription(alert),
    },
    ...earlier,
    project: query.projectName,
    timezone: parts.timezone,
    more: listed.flatMap((id) => known.find((one) => one.id === id) ?? []),
    unlisted: { count: unlisted.length, others },
    waited: kind === "unanswered" ? { from: firedAtOf(alert), to: notification.createdAt } : null,
    actions: parts.actionsFor?.(alert, notification.receiver) ?? [],
    corrected: found?.handling?.corrected,
    categories,
    consoleUrl: url === null ? null : `${url}/alerts/${alert.id}`,
  });
  return { about: "alert", view, chart, behind, contentVersion: content.version } as const;
}

/** The mentions that a message may show, their stories, and which of their authors people have on their lists. */
async function shownMentions(
  stores: Facts,
  alert: Alert,
  faceId: string,
  rule: Rule | undefined,
): Promise<Pick<AlertViewFacts, "mentions" | "storyOf" | "story" | "listed">> {
  const candidates = await mentionsOfAlert(stores, { ...alert, id: faceId }, rule);
  const mentions = candidates.map(({ mention }) => mention);
  const stories = new Map(candidates.map(({ mention, story }) => [mention, story]));
  const shared = alert.labels["story"] ?? largestStory(candidates.map(({ story }) => story));
  const [story, listings] = await Promise.all([
    shared === null
      ? null
      : stores.mentions.story(alert.projectId, alert.queryId, shared, alert.windowFrom - DAY),
    stores.authorLists.ofMentions(mentions),
  ]);
  return {
    mentions,
    storyOf: (mention) => stories.get(mention) ?? "",
    listed: mentions
      .map((mention, n) => ({ mention, lists: listings[n] ?? [] }))
      .filter(({ lists }) => lists.length > 0),
    ...(shared !== null && story !== null && story.mentions > 1 && { story: { ...story, key: shared } }),
  };
}

/** Its picture, drawn when a message needs it; null: there is none. */
function chartOf(
  alert: Alert,
  explanation: Awaited<ReturnType<typeof explainAlert>> | null,
  { pictures, timezone: zone }: Pick<ViewParts, "pictures" | "timezone">,
) {
  const drawn = (theme: "light" | "dark") => drawAlertChart(alert, explanation, { zone, theme });
  const svg = drawn("light");
  return svg === null || pictures === undefined
    ? null
    : (scheme?: "light" | "dark") => pictures.render((scheme === "dark" ? drawn("dark") : null) ?? svg);
}

/**
 * The time in which its mentions are counted: from its first window to the last that was judged. The window of its
 * sentence may be a later or a shorter one.
 */
function spanOfAlert({ openedAt, windowFrom, windowTo, lastSeenAt, progress }: Alert) {
  return {
    from: Math.min(windowFrom, progress?.countedFrom ?? openedAt - (windowTo - windowFrom)),
    to: Math.max(windowTo, lastSeenAt, progress?.now?.at ?? 0),
  };
}

const LONGEST_BEFORE_DAYS = 30;

/** How often such alerts came in the last month, or since Earshot watches the query; nothing on its first day. */
async function before(
  stores: Facts,
  { projectId, queryId, rule, openedAt }: Alert,
  { watchFrom }: WatchedQuery,
): Promise<Pick<AlertViewFacts, "before">> {
  const days = Math.min(LONGEST_BEFORE_DAYS, Math.floor((openedAt - watchFrom) / DAY));
  if (days < 1) return {};
  const alerts = await stores.alerts.countOfRule(
    { projectId, queryId },
    rule,
    openedAt - days * DAY,
    openedAt,
  );
  return { before: { alerts, days } };
}

/** For alerts about Earshot itself, which have no rule file. */
function ownDescription({ queryId, rule }: Alert): string | null {
  if (queryId !== OWN_QUERY.queryId) return null;
  return Object.entries(OPERATOR_RULES).find(([name]) => name === rule)?.[1].description ?? null;
}
