import type { Instant } from "../../lib/instant.ts";
import { isEdited, withoutMentions } from "../alerts/without-mentions.ts";
import { digestWithout, shownNames } from "../digest/without-mentions.ts";
import { eventAt, type Mention, type StoryMention } from "../model/mention.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import { storyOf } from "../model/story.ts";
import type { Rule } from "../rules/rule.ts";
import type { AlertContent } from "../store/erasures.ts";
import type { RemovedMention } from "../store/forgotten.ts";
import type { Facts } from "../store/stores.ts";
import { type AssessedMention, storyOfMention } from "./assess-mention.ts";
import { judgePage } from "./judge-page.ts";
import { recordCounts } from "./record-counts.ts";
import { forgetValues } from "./record-values.ts";

/** A mention to forget. Its moment is known from the source, also where it is not stored. */
export type MentionToForget = Pick<Mention, "resourceId"> & { readonly eventAt: Instant };

interface ForgetParts {
  readonly rules: readonly Rule[];
  readonly assess: (mention: Mention) => AssessedMention;
  readonly now: Instant;
  readonly reason: "source" | "request";
}

/** What was forgotten. */
interface ForgetResult {
  readonly mentions: number;
  /** Ids of the alerts that said something of them. */
  readonly alerts: readonly string[];
}

/**
 * Forgets mentions of one query, inside the transaction of the caller, who holds the query's lock: tombstones refuse
 * them from now on, their rows go, they are counted no more, and everything that was made of them says nothing of them.
 * Messages that were sent are marked for correction. Everything that deletes a mention comes here.
 */
export async function forgetMentions(
  facts: Facts,
  query: WatchedQuery,
  mentions: readonly MentionToForget[],
  { rules, assess, now, reason }: ForgetParts,
): Promise<ForgetResult> {
  if (mentions.length === 0) return NOTHING_FORGOTTEN;
  const { projectId, queryId } = query;
  await facts.forgotten.addTombstones(projectId, queryId, mentions, reason, now);
  const ids = [...new Set(mentions.map(({ resourceId }) => resourceId))];
  const removed = await facts.forgotten.remove(projectId, queryId, ids);
  if (removed.length === 0) return NOTHING_FORGOTTEN;
  const changes = removed.map(({ mention, story }) => ({
    before: storyOfMention(assess(mention), story),
    after: null,
  }));
  const counted = await facts.counts.series(projectId, queryId);
  const judged = judgePage(query, counted, changes, { seenAt: now, behindMs: 0 });
  await recordCounts(facts, query, judged.counts, judged.distinctAuthors);
  await forgetValues(
    facts,
    query,
    rules,
    removed.map(({ mention }) => mention),
  );
  const gone = removed.map((one) => ({ ...one, after: null }));
  return { mentions: removed.length, alerts: await eraseContent(facts, query, rules, gone) };
}

const NOTHING_FORGOTTEN: ForgetResult = { mentions: 0, alerts: [] };

/** A mention as it was stored, and as it is now: null if it was deleted. */
interface ReplacedMention extends RemovedMention {
  readonly after: Mention | null;
}

/**
 * Takes the old texts of edited mentions out of everything that was made of them. New counts and verdicts of a mention
 * are no edit. The new texts are stored already.
 */
export async function eraseEdited(
  facts: Facts,
  query: Query,
  rules: readonly Rule[],
  changed: readonly { readonly before: Mention; readonly story: string; readonly after: Mention }[],
): Promise<void> {
  const { projectId, queryId } = query;
  const edited = changed.filter(({ before, after }) => isEdited(before, after));
  if (edited.length === 0) return;
  const ids = edited.map(({ before }) => before.resourceId);
  const alertsOf = await facts.forgotten.alertsOf(projectId, queryId, ids);
  const replaced = edited.map(({ before, story, after }) => ({
    ...{ mention: before, story, after },
    alertIds: alertsOf.get(before.resourceId) ?? [],
  }));
  await facts.forgotten.removeDeadLetters(projectId, queryId, ids);
  await eraseContent(facts, query, rules, replaced);
}

/** Alerts and their evidence, stories, digests. Returns the ids of the alerts. The mentions themselves are gone. */
async function eraseContent(
  facts: Facts,
  query: Query,
  rules: readonly Rule[],
  replaced: readonly ReplacedMention[],
): Promise<string[]> {
  const { projectId, queryId } = query;
  const kept = new Set(replaced.flatMap(({ after }) => (after === null ? [] : storyOf(after).key)));
  const texts = new Set(replaced.map(({ mention }) => storyOf(mention).key).filter((key) => !kept.has(key)));
  if (texts.size > 0) await facts.stories.remove(projectId, queryId, texts);
  const alerts = await eraseInAlerts(facts, query, rules, replaced);
  await eraseInDigests(facts, replaced);
  return alerts;
}

async function eraseInAlerts(
  facts: Facts,
  query: Query,
  rules: readonly Rule[],
  replaced: readonly ReplacedMention[],
): Promise<string[]> {
  const moments = replaced.map(({ mention }) => eventAt(mention));
  const matched = replaced.flatMap(({ alertIds }) => alertIds);
  const span = { from: Math.min(...moments), to: Math.max(...moments) };
  const erased: string[] = [];
  for (const alert of await facts.erasures.alertsAbout(query, matched, span)) {
    const rule = rules.find(({ name }) => name === alert.rule);
    const ofAlert = replaced.filter((one) => isOf(alert, rule, one));
    if (ofAlert.length === 0) continue;
    erased.push(alert.id);
    const content = withoutMentions(alert, ofAlert, await restOf(facts, query, alert));
    const deleted = ofAlert.filter(({ after }) => after === null);
    await facts.erasures.saveAlert(
      query.projectId,
      { id: alert.id, ...content },
      {
        matched: deleted.filter(({ alertIds }) => alertIds.includes(alert.id)).length,
        forgotten: deleted.filter((one) => counts(alert, rule, one)).length,
      },
    );
  }
  return erased;
}

/** Whether the alert may say something of the mention: it met the alert's rule, or an explained window looked at it. */
function isOf(alert: AlertContent, rule: Rule | undefined, one: ReplacedMention): boolean {
  if (one.alertIds.includes(alert.id)) return true;
  if (alert.windowTo <= alert.windowFrom) return false;
  return alert.explanation !== null || rule === undefined || rule.judge(one.mention).met;
}

/** Whether it is a mention of the alert, and not only one of its window. */
function counts(
  alert: AlertContent,
  rule: Rule | undefined,
  { alertIds, mention }: ReplacedMention,
): boolean {
  if (alertIds.includes(alert.id)) return true;
  const at = eventAt(mention);
  const isInWindow = at >= alert.windowFrom && at < Math.max(alert.windowTo, alert.lastSeenAt);
  return isInWindow && rule?.judge(mention).met === true;
}

/** Mentions that the alert still speaks of. */
async function restOf(
  facts: Facts,
  { projectId, queryId }: Query,
  { id, windowFrom, windowTo, lastSeenAt }: AlertContent,
): Promise<StoryMention[]> {
  if (windowTo <= windowFrom) return facts.mentions.ofAlert(projectId, id, MOST_REST);
  return facts.mentions.inWindow(projectId, queryId, windowFrom, Math.max(windowTo, lastSeenAt), MOST_REST);
}

const MOST_REST = 2_000;

async function eraseInDigests(facts: Facts, replaced: readonly ReplacedMention[]): Promise<void> {
  const moments = [...new Set(replaced.map(({ mention }) => eventAt(mention)))];
  for (const { edition, body } of await facts.erasures.digestsOf(moments)) {
    const changes = replaced.map(({ mention, after }) => ({ before: mention, after }));
    const names = shownNames(body, namesOf(changes.map(({ before }) => before)));
    const isShown = names.authors.length + names.hashtags.length > 0;
    // Reads all mentions of the period, so only for names that the digest has.
    const used = isShown ? await facts.erasures.stillUsed(edition, names) : names;
    const gone = {
      authors: names.authors.filter((name) => !used.authors.includes(name)),
      hashtags: names.hashtags.filter((tag) => !used.hashtags.includes(tag)),
    };
    const corrected = digestWithout(body, changes, gone);
    if (corrected !== null) await facts.erasures.saveDigest(edition, corrected);
  }
}

function namesOf(mentions: readonly Mention[]) {
  return {
    authors: [
      ...new Set(mentions.flatMap(({ author, authorName }) => [author ?? [], authorName ?? []].flat())),
    ],
    hashtags: [
      ...new Set(
        mentions.flatMap(({ hashtags }) => hashtags.map((tag) => tag.replace(/^#+/, "").toLowerCase())),
      ),
    ],
  };
}
