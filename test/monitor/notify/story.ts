import { parseDuration } from "../../../src/lib/duration.ts";
import { groupBy } from "../../../src/lib/group-by.ts";
import type { Instant } from "../../../src/lib/instant.ts";
import type { WeeklyRange } from "../../../src/lib/weekly-range.ts";
import { act } from "../../../src/monitor/alerts/act.ts";
import type { LifeRule, Observation } from "../../../src/monitor/alerts/alert-life.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { AlertAction } from "../../../src/monitor/model/alert-action.ts";
import { AlertMatch } from "../../../src/monitor/model/alert-match.ts";
import type { GroupFlush, ReceiverEntry } from "../../../src/monitor/model/notification.ts";
import type { Severity } from "../../../src/monitor/model/severity.ts";
import type { Silence } from "../../../src/monitor/model/silence.ts";
import {
  decideNotifications,
  type NotifyConfig,
} from "../../../src/monitor/notify/decide/decide-notifications.ts";
import { EscalationConfig } from "../../../src/monitor/notify/decide/escalation.ts";
import { Inhibition, isInhibitor } from "../../../src/monitor/notify/decide/inhibition.ts";
import { QuietHours } from "../../../src/monitor/notify/decide/quiet-hours.ts";
import { Rotation } from "../../../src/monitor/notify/decide/rotation.ts";
import { RouteConfig } from "../../../src/monitor/notify/decide/route.ts";
import { Throttle } from "../../../src/monitor/notify/decide/throttle.ts";
import { observeAll } from "../alerts/observe-all.ts";
import { alertOf } from "./alert-of.ts";

/**
 * The life of alerts and their notifications, with a clock of its own and without a database: lists replace the tables,
 * and every decision that is due is made at its moment.
 */
export interface AlertStory {
  /** Evidence for the alert of this name. The first fires it; more severe evidence makes it rise. */
  evidence(name: string, at: string, given?: Given): AlertStory;
  /** It is resolved. */
  ends(name: string, at: string): AlertStory;
  does(at: string, name: string, action: AlertAction | AlertAction["do"], by: string): AlertStory;
  silences(at: string, silence: { match: object; for: string; windows?: readonly WeeklyRange[] }): AlertStory;
  /** The oldest silence is ended early. */
  expires(at: string): AlertStory;
  /** Runs until that moment and returns every message, in order: `09:00 team: fired crisis (FirstNotification)`. */
  until(at: string): string[];
  /** Every decision about an alert: `09:00 HeldBySilence team (silence by ann)`. */
  history(name: string): string[];
}

interface Given {
  readonly severity?: Severity;
  readonly rule?: string;
  readonly query?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface AlertStorySetting {
  readonly routes?: readonly object[];
  readonly inhibitions?: readonly object[];
  readonly escalations?: readonly object[];
  readonly rotations?: readonly object[];
  /** Quiet hours or a throttle, by receiver. */
  readonly receiverSettings?: Readonly<Record<string, { quietHours?: readonly object[]; throttle?: object }>>;
  readonly reopenWithin?: string;
  /** The day of the story, by default `2026-03-02` (a Monday); its times are UTC. */
  readonly day?: string;
}

interface Happening {
  readonly at: Instant;
  readonly does: (now: Instant) => string[];
}

export function startStory(setting: AlertStorySetting = {}): AlertStory {
  const dayStart = Date.parse(`${setting.day ?? "2026-03-02"}T00:00:00Z`);
  const time = (text: string): Instant => {
    const [, day = "1", hours = "0", minutes = "0", seconds = "0"] =
      /^(?:day (\d+) )?(\d+):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
    return (
      dayStart +
      (Number(day) - 1) * 86_400_000 +
      Number(hours) * 3_600_000 +
      Number(minutes) * 60_000 +
      Number(seconds) * 1_000
    );
  };
  const clock = (at: Instant): string => {
    const day = Math.floor((at - dayStart) / 86_400_000);
    const text = new Date(at).toISOString();
    const shown = text.slice(17, 19) === "00" ? text.slice(11, 16) : text.slice(11, 19);
    return day === 0 ? shown : `day ${day + 1} ${shown}`;
  };
  const notifyConfig = directoryOf(setting);
  const rule: Omit<LifeRule, "severity"> = {
    forMs: 0,
    overAfterMs: Number.POSITIVE_INFINITY,
    reopenWithinMs: parseDuration(setting.reopenWithin ?? "0s") ?? 0,
  };
  const alerts = new Map<string, Alert>();
  const entries = new Map<string, ReceiverEntry>();
  const flushes = new Map<string, GroupFlush>();
  const decidedAt: { receiver: string; at: Instant; severity: Severity }[] = [];
  const silences: Silence[] = [];
  const events: { alertId: string; line: string }[] = [];
  const messages: string[] = [];
  const happenings: Happening[] = [];

  const observe = (name: string, observation: Observation, given: Given = {}): string[] => {
    const known = alerts.get(name);
    const severity = given.severity ?? known?.severity ?? "warning";
    const { life } = observeAll(known ?? null, { ...rule, severity }, [observation]);
    if (life === null) return [];
    const query = given.query ?? known?.queryId ?? "United";
    const fresh = alertOf({
      id: name,
      fingerprint: name,
      rule: given.rule ?? name,
      queryId: query,
      queryName: query,
      labels: { query, ...given.labels },
    });
    alerts.set(name, { ...(known ?? fresh), ...life });
    return [name];
  };

  const decide = (moved: readonly string[], now: Instant): void => {
    const due = [...entries.values()].filter(({ nextAt }) => nextAt !== null && nextAt <= now);
    const isTogether = ({ entry }: ReceiverEntry) =>
      /HeldBy(Group|Throttle)/.test((entry as { last: string }).last);
    // Alerts of a group or of a throttle are decided together, as the tables give them.
    const receivers = new Set(due.filter(isTogether).map((entry) => entry.receiver));
    const together = [...entries.values()].filter(
      (entry) => entry.nextAt !== null && isTogether(entry) && receivers.has(entry.receiver),
    );
    const ids = new Set([...moved, ...[...due, ...together].map((entry) => entry.alertId)]);
    const asked = [...alerts.values()].filter((alert) => ids.has(alert.id));
    const open = [...alerts.values()].filter((alert) => alert.firedAt !== null && alert.resolvedAt === null);
    const recent = groupBy(decidedAt, ({ receiver }) => receiver);
    const decisions = decideNotifications(asked, [...entries.values()], notifyConfig, now, {
      recent,
      context: { silences, inhibitions: notifyConfig.inhibitions, open },
      flushes: [...flushes.values()],
    });
    for (const entry of decisions.entries) entries.set(`${entry.alertId} ${entry.receiver}`, entry);
    for (const flush of decisions.flushes) flushes.set(`${flush.receiver} ${flush.key}`, flush);
    for (const { alertId, what, detail } of decisions.events)
      events.push({ alertId, line: `${clock(now)} ${what} ${detail}` });
    for (const { receiver, alertId, kind, reason, also = [] } of decisions.pending) {
      decidedAt.push({ receiver, at: now, severity: alerts.get(alertId ?? "")?.severity ?? "info" });
      const more = also.length === 0 ? "" : `, and ${also.length} more: ${also.join(", ")}`;
      messages.push(`${clock(now)} ${receiver}: ${kind} ${alertId}${more} (${reason})`);
    }
    const over = asked.some(
      (alert) => alert.resolvedAt !== null && isInhibitor(notifyConfig.inhibitions, alert),
    );
    if (over) wake("HeldByInhibition", now);
  };

  const wake = (reason: string, now: Instant): void => {
    for (const [key, entry] of entries) {
      if ((entry.entry as { last: string }).last === reason) entries.set(key, { ...entry, nextAt: now });
    }
  };

  const story: AlertStory = {
    evidence: (name, at, given = {}) => {
      happenings.push({
        at: time(at),
        does: (now) => {
          const severity = given.severity === undefined ? {} : { severity: given.severity };
          const found = { mentions: 1, because: name, windowFrom: now - 1, windowTo: now, values: {} };
          return observe(name, { kind: "evidence", at: now, ...found, ...severity }, given);
        },
      });
      return story;
    },
    ends: (name, at) => {
      happenings.push({ at: time(at), does: (now) => observe(name, { kind: "withdrawn", at: now }) });
      return story;
    },
    does: (at, name, action, by) => {
      happenings.push({
        at: time(at),
        does: (now) => {
          const alert = alerts.get(name);
          if (alert === undefined) throw new Error(`there is no ${name} yet`);
          const acted = act(
            alert,
            typeof action === "string" ? ({ do: action } as AlertAction) : action,
            by,
            now,
          );
          if (acted.outcome === "Refused") throw new Error(acted.because);
          alerts.set(name, acted.alert);
          events.push({ alertId: name, line: `${clock(now)} ${acted.event.what} ${acted.event.detail}` });
          return [name];
        },
      });
      return story;
    },
    silences: (at, { match, for: length, windows = [] }) => {
      happenings.push({
        at: time(at),
        does: (now) => {
          silences.push({
            id: `s${silences.length}`,
            match: AlertMatch.parse(match),
            author: "ann",
            comment: "",
            createdAt: now,
            startsAt: now,
            endsAt: now + (parseDuration(length) ?? 0),
            windows,
            endedBy: null,
          });
          return [];
        },
      });
      return story;
    },
    expires: (at) => {
      happenings.push({
        at: time(at),
        does: (now) => {
          const [first] = silences;
          if (first !== undefined) silences[0] = { ...first, endsAt: now, endedBy: "bo" };
          wake("HeldBySilence", now);
          return [];
        },
      });
      return story;
    },
    until: (at) => {
      const end = time(at);
      happenings.sort((a, b) => a.at - b.at);
      for (let steps = 0; ; steps++) {
        if (steps > 5_000) throw new Error("the story does not come to an end: something is due for ever");
        const dueAt = Math.min(
          happenings[0]?.at ?? Number.POSITIVE_INFINITY,
          ...[...entries.values()].map(({ nextAt }) => nextAt ?? Number.POSITIVE_INFINITY),
        );
        if (dueAt > end) break;
        const moved: string[] = [];
        while ((happenings[0]?.at ?? Number.POSITIVE_INFINITY) <= dueAt)
          moved.push(...(happenings.shift()?.does(dueAt) ?? []));
        decide(moved, dueAt);
      }
      return [...messages];
    },
    history: (name) => events.filter(({ alertId }) => alertId === name).map(({ line }) => line),
  };
  return story;
}

function directoryOf(setting: AlertStorySetting): NotifyConfig {
  const receiverSettings = setting.receiverSettings ?? {};
  return {
    routes: (setting.routes ?? [{ receivers: ["team"], repeatEvery: "never" }]).map((one) =>
      RouteConfig.parse(one),
    ),
    inhibitions: (setting.inhibitions ?? []).map((one) => Inhibition.parse(one)),
    escalations: (setting.escalations ?? []).map((one) => EscalationConfig.parse(one)),
    rotations: (setting.rotations ?? []).map((one) => Rotation.parse(one)),
    receiver: (name) => {
      const { quietHours = [], throttle } = receiverSettings[name] ?? {};
      return {
        name,
        quietHours: quietHours.map((one) => QuietHours.parse(one)),
        throttle: throttle === undefined ? null : Throttle.parse(throttle),
      };
    },
    throttled: [],
  };
}
