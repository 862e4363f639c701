import { DAY, type Instant, inUtc } from "../../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { AlertEvent, RulePrecision } from "../model/alert-action.ts";
import type { Mention } from "../model/mention.ts";
import { OPERATOR_RULES } from "../model/operator-rules.ts";
import { OWN_QUERY } from "../model/query.ts";
import type { ShownDelivery, ShownIncident, ShownNotification, ShownReceiver } from "../model/shown.ts";
import type { Rule } from "../rules/rule.ts";
import type { Extensions } from "../source/extensions.ts";
import type { createConsoleStore } from "../store/console.ts";
import type { Stores } from "../store/stores.ts";
import { type ReadRoute, receiversNow, type UnusedRoute, unusedRoutes } from "./explain-routes.ts";
import { type WhyReceiver, whyReceiver } from "./why-receiver.ts";
import { observationOfGoneRule, type RuleObservation, whyRules } from "./why-rules.ts";

const MOST = 500;

/** The calls that answer for a mention that is not stored. */
export type AskedSource = Pick<Extensions, "explainQueries" | "findMention">;

export interface WhyParts {
  readonly stores: Stores;
  readonly facts: ReturnType<typeof createConsoleStore>;
  /** The current rules; earlier verdicts are in the facts. */
  readonly rules: readonly Rule[];
  /** Formats a time for the reader; default: UTC. */
  readonly moment?: (at: Instant) => string;
  /** The configured routes, and all receivers by name; absent where the configuration cannot be read. */
  readonly routing?: { readonly routes: readonly ReadRoute[]; readonly receivers: readonly string[] };
  /** The source, to ask it for a mention that is not stored; absent: it is not asked. */
  readonly source?: AskedSource;
  /** Domain time. */
  readonly now?: () => Instant;
  /** Mentions from before this are deleted. */
  readonly keptFrom?: Instant;
  /** How far back a query of this project is read when it is new. */
  readonly historyMs?: (projectId: string) => number;
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
  /** Of every receiver, configured or decided: why it was notified of the alert, or was not. */
  readonly notified: readonly WhyReceiver[];
  /** The incident whose messages show it, if it is in one of several alerts; null if it stands alone. */
  readonly incident: ShownIncident | null;
  /** The routes that did not take the alert, and why; empty where the configuration is not known. */
  readonly unusedRoutes: readonly UnusedRoute[];
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

export async function whyAlert(parts: WhyParts, alert: Alert): Promise<AlertWhy> {
  const { facts, rules } = parts;
  const incident = await facts.incidentOfAlert(alert.projectId, alert.id);
  // Who got what of an incident stands there.
  const leader = await facts.shownBy(alert.projectId, alert.id);
  const [precision, history, receivers, notifications, deliveries] = await Promise.all([
    facts.rulePrecision(alert.rule, alert.openedAt - 30 * DAY),
    facts.alertEvents(alert.projectId, alert.id, MOST),
    facts.alertReceivers(alert.projectId, leader),
    facts.alertNotifications(alert.projectId, leader, MOST),
    facts.alertDeliveries(alert.projectId, leader, MOST),
  ]);
  const rule = rules.find((one) => one.name === alert.rule);
  const unused = parts.routing === undefined ? [] : unusedRoutes(parts.routing.routes, alert);
  return {
    alert,
    incident,
    rule: rule === undefined ? operatorRule(alert) : ruleFacts(rule),
    precision,
    history,
    receivers,
    notified: whyEachReceiver(parts, { ...alert, id: leader }, receivers, notifications, unused),
    unusedRoutes: unused,
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
      const query = await parts.stores.queries.find(projectId, mention.queryId);
      const { stores, rules, moment = inUtc } = parts;
      const observed = query === null ? [] : await whyRules(stores, rules, query, mention, matches, moment);
      // Also lists a match with a rule that was renamed or removed since.
      const gone = matches.filter((match) => !observed.some((observed) => observed.rule === match.rule));
      const ids = new Set([...observed, ...matches].flatMap(({ alertId }) => alertId ?? []));
      const alerts = await Promise.all([...ids].map((id) => parts.stores.alerts.find(projectId, id)));
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

/** Those that a decision was made about, then those that no route leads to. */
function whyEachReceiver(
  { routing, moment = inUtc }: WhyParts,
  alert: Alert,
  decided: readonly ShownReceiver[],
  notifications: readonly ShownNotification[],
  unused: readonly UnusedRoute[],
): WhyReceiver[] {
  const known = new Set([...decided, ...notifications].map(({ receiver }) => receiver));
  const names = [...known, ...(routing?.receivers ?? []).filter((name) => !known.has(name))];
  const routed = receiversNow(routing?.routes ?? [], alert);
  return names.map((receiver) => {
    const routes = unused.filter((route) => route.receivers.includes(receiver));
    return whyReceiver(
      {
        receiver,
        alertId: alert.id,
        decided: decided.find((one) => one.receiver === receiver) ?? null,
        newest: notifications.findLast((one) => one.receiver === receiver) ?? null,
        isRouted: routed.has(receiver),
        noRoute:
          routing === undefined || routed.has(receiver)
            ? null
            : routes.length === 0
              ? "no route names it"
              : `no route takes it there: ${routes.map(({ name, because }) => `${name}: ${because}`).join("; ")}`,
      },
      moment,
    );
  });
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
