import type { Clock } from "../../../lib/clock.ts";
import { formatDuration } from "../../../lib/duration.ts";
import { UserError } from "../../../lib/errors.ts";
import { type Instant, MINUTE } from "../../../lib/instant.ts";
import { stableHash } from "../../../lib/json.ts";
import { hashOfCode } from "../../../lib/readable-code.ts";
import { startOf } from "../../../lib/text.ts";
import { uuid7 } from "../../../lib/uuid7.ts";
import { describeRange, holdsWithin } from "../../../lib/weekly-range.ts";
import { incidentAsAlert } from "../../incidents/incident-as-alert.ts";
import type { Alert } from "../../model/alert.ts";
import { type Actor, type AlertAction, describeActor } from "../../model/alert-action.ts";
import type {
  ActionResult,
  AlertActions,
  CorrectResult,
  RequestedSilence,
  SilenceResult,
} from "../../model/alert-actions.ts";
import { type AlertMatch, describeMatch } from "../../model/alert-match.ts";
import type { MentionCorrection, MentionCorrections } from "../../model/mention.ts";
import { nextSeverity } from "../../model/severity.ts";
import { LONGEST_SILENCE_MS, type Silence } from "../../model/silence.ts";
import type { Facts, Stores } from "../../store/stores.ts";
import { act } from "../act.ts";
import { type AlertNames, refuseUnknownNames, refuseUnknownQueries } from "../unknown-names.ts";
import {
  actOnIncident,
  lockQueriesOf,
  mergeIncidents,
  openIncidentOf,
  splitAlert,
} from "./act-on-incident.ts";
import { auditActions } from "./audit-actions.ts";
import { writeNote } from "./write-note.ts";

interface AlertActionsParts {
  readonly stores: Stores;
  readonly clock: Clock;
  /** Of the loaded rules, to refuse silences with misspelt names; absent: nothing is refused. */
  readonly names?: AlertNames;
  /** Corrects a mention where it comes from; absent: only on the console. */
  readonly correct?: MentionCorrections["correct"] | undefined;
}

export function createAlertActions(parts: AlertActionsParts): AlertActions {
  const { stores, clock, names } = parts;
  const within = (facts: Facts): AlertActions =>
    createAlertActions({
      ...parts,
      stores: { ...facts, transaction: (inner) => inner(facts), snapshot: (inner) => inner(facts) },
    });
  const actions: AlertActions = {
    once: (interactionId, work) =>
      stores.transaction(async (facts) => {
        if (!(await facts.interactions.take(interactionId))) return "known";
        return work(within(facts));
      }),
    act: (alertId, action, by) => actOn({ stores, clock }, alertId, action, by),
    addSilence: async (requested) => {
      if (names !== undefined) refuseUnknownNames(requested.match, names);
      refuseUnknownQueries(requested.match, await stores.queries.active());
      const silence = silenceOf(requested, clock.now());
      await stores.silences.add(silence);
      return silence;
    },
    silenceAlert: (alertId, lengthMs, by) => silenceAlert({ stores, clock }, alertId, lengthMs, by),
    correct: (alertId, correction, by) => correctMention(parts, alertId, correction, by),
    expireSilence: async (id, by) => {
      const now = clock.now();
      return stores.transaction(async (facts) => {
        const isEnded = await facts.silences.expire(id, describeActor(by), now);
        // Held alerts that are still open are decided again at once.
        if (isEnded) {
          await facts.notifications.wake(null, "HeldBySilence", now);
          await facts.dueWork.announce();
        }
        return isEnded;
      });
    },
    useLink: (link, most, work) =>
      stores.transaction(async (facts) => {
        for (let use = 1; use <= most; use++) {
          const name = `link ${stableHash(link)} ${use}`;
          if (!(await facts.interactions.take(name))) continue;
          const refused = await work(within(facts));
          if (refused !== null) await facts.interactions.giveBack(name);
          return refused;
        }
        return "this link was used already";
      }),
    userInSlack: ({ teamId, userId }) => stores.slackPeople.nameOf(teamId, userId),
    linkSlack: (code, person) =>
      stores.transaction(async ({ oneTimeCodes, slackPeople }) => {
        const linkedAt = clock.now();
        const nameKey = await oneTimeCodes.use("slack", hashOfCode(code), linkedAt);
        if (nameKey === null) return null;
        await slackPeople.link({ ...person, nameKey, linkedAt });
        return slackPeople.nameOf(person.teamId, person.userId);
      }),
    silences: async (past) => {
      const silences = await stores.silences.list(clock.now(), past);
      const names = await stores.alerts.namesOf(silences.flatMap(({ match }) => match.fingerprint ?? []));
      return silences.map((one) => ({ ...one, mutes: describeMatch(one.match, names) }));
    },
    precision: (since) => stores.alerts.precision(since),
    isOfIncident: async ({ channel, thread }) =>
      (await stores.incidentNotes.incidentOfThread(channel, thread)) !== null,
    commentInThread: ({ channel, thread, ts }, text, by) =>
      stores.transaction(async (facts) => {
        const incident = await facts.incidentNotes.incidentOfThread(channel, thread);
        if (incident === null) return null;
        const comment = {
          kind: "comment",
          status: null,
          text,
          origin: `${channel} ${thread} ${ts}`,
        } as const;
        return writeNote(facts, incident, comment, by, clock.now());
      }),
    mergeIncidents: (into, from, by) => mergeIncidents(stores, into, from, by, clock.now()),
    splitAlert: async (alertId, by) => {
      const alert = await findOne(stores, alertId);
      return alert === null ? null : splitAlert(stores, alert, by, clock.now());
    },
  };
  return auditActions(actions, stores, clock);
}

async function actOn(
  { stores, clock }: { stores: Stores; clock: Clock },
  alertId: string,
  action: AlertAction,
  by: Actor,
): Promise<ActionResult | null> {
  const found = await findOne(stores, alertId);
  if (found === null) return null;
  const { projectId, id } = found;
  return stores.transaction(async (facts) => {
    // The lock comes first: an alert changes in one transaction at a time, and never while its query is judged.
    await lockQueriesOf(facts, found);
    const alert = await facts.alerts.find(projectId, id);
    if (alert === null) return null;
    const now = clock.now();
    const incident = await openIncidentOf(facts, alert);
    if (incident !== null) return actOnIncident(facts, incident, action, by, now);
    const acted = act(alert, action, describeActor(by), now);
    if (acted.outcome === "Refused") return acted;
    await facts.notifications.lockNotifications(projectId);
    await facts.alerts.amend(acted.alert);
    await facts.alerts.addEvents(projectId, [{ ...acted.event, actor: by }]);
    await facts.notifications.reconsider(projectId, id, Math.min(now, alert.lastSeenAt));
    await facts.alertMessages.wake(projectId, id);
    await facts.dueWork.announce();
    return acted;
  });
}

async function correctMention(
  { stores, clock, correct }: AlertActionsParts,
  alertId: string,
  correction: MentionCorrection,
  by: Actor,
): Promise<CorrectResult | null> {
  const found = await findOne(stores, alertId);
  if (found === null) return null;
  const { projectId, id } = found;
  const { queryId, resourceId } = correction;
  if (queryId !== found.queryId) return { outcome: "Refused", because: "the mention is of another query" };
  const at = clock.now();
  // Before the lock: it is stored elsewhere, and doing it again changes nothing.
  const to = (await correct?.(correction)) ?? null;
  if (to === null) return { outcome: "Refused", because: "the mention is deleted, or its feed is gone" };
  return stores.transaction(async (facts) => {
    await lockQueriesOf(facts, found);
    const alert = await facts.alerts.find(projectId, id);
    if (alert === null) return null;
    const who = describeActor(by);
    const shown = { resourceId, to, by: who, at };
    const corrected =
      "sentiment" in correction
        ? ({ ...shown, what: "sentiment" } as const)
        : ({
            ...shown,
            what: "category",
            category: { id: correction.category, isIn: correction.isIn },
          } as const);
    const what = corrected.what === "sentiment" ? "SentimentCorrected" : "CategoryCorrected";
    const event = { alertId: id, at, what, detail: `by ${who}, to ${to}` };
    await facts.alerts.amend({ ...alert, handling: { ...alert.handling, corrected } });
    await facts.alerts.addEvents(projectId, [{ ...event, actor: by }]);
    await facts.alertMessages.wake(projectId, id);
    await facts.dueWork.announce();
    return { outcome: "Done", to };
  });
}

async function silenceAlert(
  { stores, clock }: { stores: Stores; clock: Clock },
  alertId: string,
  lengthMs: number,
  by: Actor,
): Promise<SilenceResult | null> {
  const found = await findOne(stores, alertId);
  if (found === null) return null;
  const incident = await openIncidentOf(stores, found);
  const alert = (incident === null ? null : incidentAsAlert(incident.incident, incident.members)) ?? found;
  if (alert.resolvedAt !== null) return { outcome: "Refused", because: "this alert is already resolved" };
  const now = clock.now();
  const match = matchOfAlert(alert);
  // A fingerprint is not readable.
  const comment = `${alert.queryName}, ${alert.rule}`;
  const silence = silenceOf({ match, by, comment, lengthMs }, now);
  const detail = `by ${describeActor(by)}, for ${formatDuration(lengthMs)}`;
  await stores.transaction(async (facts) => {
    await facts.silences.add(silence);
    await facts.alerts.addEvents(alert.projectId, [
      { alertId: alert.id, at: now, what: "SilencedBy", detail, actor: by },
    ]);
  });
  return { outcome: "Done", silence };
}

/** This alert and later ones of its group, up to its severity: a silenced warning must not hide a later crisis. */
export function matchOfAlert({ fingerprint, severity }: Pick<Alert, "fingerprint" | "severity">): AlertMatch {
  const moreSevere = nextSeverity(severity);
  return { fingerprint, ...(moreSevere !== null && { not: { severity: moreSevere } }) };
}

/** Null if several ids begin with the prefix: nobody should act on an alert by mistake. */
async function findOne(stores: Stores, prefix: string): Promise<Alert | null> {
  const [found, another] = await stores.alerts.findByPrefix(prefix);
  return another === undefined ? (found ?? null) : null;
}

function silenceOf(silence: RequestedSilence, now: Instant): Silence {
  const { match, by, comment, lengthMs, windows = [] } = silence;
  if (!(lengthMs >= MINUTE && lengthMs <= LONGEST_SILENCE_MS)) {
    throw new UserError(`a silence lasts from 1m to ${formatDuration(LONGEST_SILENCE_MS)}`);
  }
  const startsAt = Math.max(silence.startsAt ?? now, now);
  if (windows.length > 0 && !holdsWithin(windows, startsAt, startsAt + lengthMs)) {
    throw new UserError(
      `in ${formatDuration(lengthMs)} ${windows.map(describeRange).join("; ")} never occurs: the silence would hold nothing`,
      ["make it longer"],
    );
  }
  return {
    id: uuid7(now),
    match,
    author: describeActor(by),
    actor: by,
    comment: startOf(comment.trim(), 300),
    createdAt: now,
    startsAt,
    endsAt: startsAt + lengthMs,
    windows,
    endedBy: null,
  };
}
