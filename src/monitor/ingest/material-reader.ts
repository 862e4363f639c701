import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import { activeUntil } from "../incidents/incident-life.ts";
import { type Material, materialOf } from "../incidents/material.ts";
import { type Alert, firedAtOf, windowAt } from "../model/alert.ts";
import type { HourCount, Incident } from "../model/incident.ts";
import { BUCKET_MS } from "../model/judging.ts";
import type { Mention, StoryMention } from "../model/mention.ts";
import type { WatchedQuery } from "../model/query.ts";
import { storyKey } from "../model/story.ts";
import type { Rule } from "../rules/rule.ts";
import type { Facts } from "../store/stores.ts";

/** Where incidents find the mentions that they compare. */
export type MentionFacts = Pick<Facts["mentions"], "inWindow" | "ofAlert">;

/** So many mentions of an alert, or of an incident, are compared; the newest of them. */
export const MOST_READ = 500;
const MOST_BEFORE = 300;

/**
 * Reads what the mentions of the incidents of a query have in common, and keeps it while a transaction changes them.
 * `membersOf` returns the alerts that an incident has.
 */
export function createMaterialReader(
  facts: MentionFacts,
  { projectId, queryId }: WatchedQuery,
  ruleOf: (alert: Alert) => Rule | undefined,
  membersOf: (incident: Incident) => readonly Alert[],
) {
  const materials = new Map<string, { material: Material; from: Instant; at: Instant }>();
  const summaries = new Map<string, Summary>();

  function summaryOf(incident: Incident): Summary {
    const found = summaries.get(incident.id);
    if (found !== undefined) return found;
    const summary: Summary = {
      ...{ from: incident.openedAt, rules: new Set(), counting: new Map() },
      surge: { negative: 0, total: 0 },
    };
    for (const alert of membersOf(incident)) include(summary, alert, ruleOf(alert));
    summaries.set(incident.id, summary);
    return summary;
  }

  /** What was said in the days before `from` tells the words of a crisis from those of every day. */
  function before(from: Instant): Promise<readonly StoryMention[]> {
    return facts.inWindow(projectId, queryId, from - 3 * DAY, from - HOUR, MOST_BEFORE);
  }

  return {
    /** How many times what was expected the alerts of an incident have counted: see `JoinableIncident`. */
    surgeOf: (incident: Incident): HourCount => summaryOf(incident).surge,

    hasAlertOf: (incident: Incident, rule: string): boolean => summaryOf(incident).rules.has(rule),

    /** The alert is one of the incident from now on. */
    addAlert(incident: Incident, alert: Alert): void {
      if (include(summaryOf(incident), alert, ruleOf(alert))) materials.delete(incident.id);
    },

    /** Of an incident that has just begun with these mentions. */
    async ofNew({ countedFrom }: Incident, mentions: readonly StoryMention[]): Promise<Material> {
      return materialOf(mentions, await before(countedFrom));
    },

    /**
     * Of what the alerts of an incident have counted or matched, the newest first. Not what was said after it became calm:
     * the first mentions of another crisis would share everything with its alert.
     */
    async ofIncident(incident: Incident, now: Instant): Promise<Material> {
      const at = Math.min(now, activeUntil(incident));
      const { from, counting } = summaryOf(incident);
      const cached = materials.get(incident.id);
      // In a storm an alert joins for every second mention: what that changes is not worth reading it all again.
      const isFresh = cached !== undefined && at >= cached.at && at - cached.at < BUCKET_MS;
      if (isFresh && cached.from === from) return cached.material;
      const rules = narrowest([...counting.values()]);
      const [read, readBefore] = await Promise.all([
        facts.inWindow(projectId, queryId, from, at + 1, MOST_READ),
        before(from),
      ]);
      const counted = read.filter(({ mention }) => rules.some((rule) => rule.judge(mention).met));
      const material = materialOf(counted, readBefore);
      materials.set(incident.id, { material, from, at });
      return material;
    },

    /** What an alert had counted or matched at `at`; `matched`, if that is known. */
    async mentionsOf(
      alert: Alert,
      matched: readonly Mention[],
      at: Instant,
    ): Promise<readonly StoryMention[]> {
      if (matched.length > 0) return matched.map((mention) => ({ mention, story: storyKey(mention) }));
      const rule = ruleOf(alert);
      if (rule === undefined || rule.kind === "mention") return facts.ofAlert(projectId, alert.id, 50);
      const { from, to } = windowAt(alert, at);
      const read = await facts.inWindow(projectId, queryId, from, to, MOST_READ);
      return read.filter(({ mention }) => rule.judge(mention).met);
    },
  };
}

/** Whether a rule has no `when`. */
export function isAboutEverything({ when }: Rule): boolean {
  return when.form === "every mention";
}

/** What is asked of the alerts of an incident for each alert that may join it. */
interface Summary {
  /** Where the earliest window began. */
  from: Instant;
  readonly rules: Set<string>;
  /** Rules on more than single mentions, by name. */
  readonly counting: Map<string, Rule>;
  readonly surge: { -readonly [Name in keyof HourCount]: number };
}

/** True: its rule counts, and was not there before. */
function include(summary: Summary, alert: Alert, rule: Rule | undefined): boolean {
  const { rule: name } = alert;
  summary.from = Math.min(summary.from, windowAt(alert, firedAtOf(alert)).from);
  summary.rules.add(name);
  if (rule === undefined || rule.kind === "mention") return false;
  const { count = 0, expected = Number.POSITIVE_INFINITY } = alert.values;
  const counted = isAboutEverything(rule) ? "total" : "negative";
  if (counted === "total" || rule.when.sentiment === "negative")
    summary.surge[counted] = Math.max(summary.surge[counted], count / Math.max(1, expected));
  if (summary.counting.has(name)) return false;
  summary.counting.set(name, rule);
  return true;
}

/** All mentions of a query have nothing in common: rules about some of them say more. */
function narrowest(rules: readonly Rule[]): readonly Rule[] {
  const narrow = rules.filter((rule) => rule.when.sentiment !== undefined || !isAboutEverything(rule));
  return narrow.length > 0 ? narrow : rules;
}
