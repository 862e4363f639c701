import { OPERATOR_RULES } from "../../health/operator-rules.ts";
import { DAY, type Instant } from "../../lib/instant.ts";
import type { Alert } from "../../model/alert.ts";
import type { AlertEvent, RulePrecision } from "../../model/alert-action.ts";
import type { Mention } from "../../model/mention.ts";
import { OWN_QUERY } from "../../model/query.ts";
import type { ShownDelivery, ShownNotification, ShownReceiver } from "../../model/shown.ts";
import { missOf } from "../../rules/combine-predicates.ts";
import type { Rule } from "../../rules/rule.ts";
import type { createConsoleStore } from "../../store/console.ts";
import type { Stores } from "../../store/stores.ts";

const MOST = 500;

export interface WhyParts {
  readonly stores: Stores;
  readonly facts: ReturnType<typeof createConsoleStore>;
  /** The current rules; earlier verdicts are in the facts. */
  readonly rules: readonly Rule[];
}

/** Why an alert exists, and why each receiver was notified or not. */
export interface AlertWhy {
  readonly alert: Alert;
  /** Null: the rule was removed. */
  readonly rule: {
    readonly description: string;
    readonly forMs: number;
    readonly overAfterMs: number;
  } | null;
  /** How people judged the rule's alerts in the 30 days before this one. */
  readonly precision: RulePrecision;
  readonly history: readonly AlertEvent[];
  readonly receivers: readonly ShownReceiver[];
  readonly notifications: readonly (ShownNotification & { readonly deliveries: readonly ShownDelivery[] })[];
}

/** The observations about a mention in one query. */
export interface MentionWhy {
  readonly mention: Mention;
  readonly projectId: string;
  readonly queryName: string;
  /** When it was first read. */
  readonly seenAt: Instant;
  readonly rules: readonly RuleObservation[];
  readonly alerts: readonly AlertWhy[];
}

/** The verdicts of one rule on the mention: when it arrived or changed, and now. */
export interface RuleObservation {
  readonly rule: string;
  readonly kind: Rule["kind"];
  readonly met: boolean;
  readonly because: string | null;
  /** When it led to an alert; null if it did not. */
  readonly matchedAt: Instant | null;
  readonly alertId: string | null;
}

export async function whyAlert(parts: WhyParts, alert: Alert): Promise<AlertWhy> {
  const { facts, rules } = parts;
  const [precision, history, receivers, notifications, deliveries] = await Promise.all([
    facts.rulePrecision(alert.rule, alert.openedAt - 30 * DAY),
    facts.alertEvents(alert.projectId, alert.id, MOST),
    facts.alertReceivers(alert.projectId, alert.id),
    facts.alertNotifications(alert.projectId, alert.id, MOST),
    facts.alertDeliveries(alert.projectId, alert.id, MOST),
  ]);
  const rule = rules.find((one) => one.name === alert.rule);
  return {
    alert,
    rule: rule === undefined ? operatorRule(alert) : ruleFacts(rule),
    precision,
    history,
    receivers,
    notifications: notifications.map((one) => ({
      ...one,
      deliveries: deliveries.filter((delivery) => delivery.notificationId === one.id),
    })),
  };
}

/** A mention is given by its id at the source or by its address; several queries may have it. */
export async function whyMention(parts: WhyParts, text: string): Promise<MentionWhy[]> {
  const found = await parts.stores.mentions.findAnywhere(text);
  return Promise.all(
    found.map(async ({ mention, projectId, queryName, seenAt }) => {
      const matches = await parts.stores.alerts.matchesOf(projectId, mention);
      const ids = [...new Set(matches.map((match) => match.alertId))];
      const alerts = await Promise.all(ids.map((id) => parts.stores.alerts.find(projectId, id)));
      const query = await parts.stores.queries.find(projectId, mention.queryId);
      const observed = parts.rules
        .filter((rule) => query !== null && rule.appliesTo(query))
        .map((rule) => observe(rule, mention, matches));
      // Also lists a match with a rule that was renamed or removed since.
      const gone = matches.filter((match) => !observed.some((observed) => observed.rule === match.rule));
      return {
        mention,
        projectId,
        queryName,
        seenAt,
        rules: [...observed, ...gone.map(observationOfGoneRule)],
        alerts: await Promise.all(
          alerts.filter((alert) => alert !== null).map((alert) => whyAlert(parts, alert)),
        ),
      };
    }),
  );
}

interface StoredMatch {
  readonly rule: string;
  readonly alertId: string;
  readonly at: Instant;
  readonly because: string;
}

function observe(rule: Rule, mention: Mention, matches: readonly StoredMatch[]): RuleObservation {
  const verdict = rule.judge(mention);
  const match = matches.find((one) => one.rule === rule.name);
  return {
    rule: rule.name,
    kind: rule.kind,
    met: verdict.met,
    because: match?.because ?? (verdict.met ? verdict.because : missOf(rule.when, mention)),
    matchedAt: match?.at ?? null,
    alertId: match?.alertId ?? null,
  };
}

function observationOfGoneRule({ rule, alertId, at, because }: StoredMatch): RuleObservation {
  return { rule, kind: "mention", met: true, because, matchedAt: at, alertId };
}

/** The rules of alerts about Earshot itself have no file. */
function operatorRule({ queryId, rule: name }: Alert): AlertWhy["rule"] {
  if (queryId !== OWN_QUERY.queryId) return null;
  const rule = Object.entries(OPERATOR_RULES).find(([one]) => one === name)?.[1];
  return rule === undefined
    ? null
    : {
        description: `${rule.description} (about Earshot itself; its limits are under operator)`,
        forMs: 0,
        overAfterMs: rule.overAfterMs,
      };
}

function ruleFacts({ description, forMs, overAfterMs }: Rule) {
  return { description, forMs, overAfterMs };
}
