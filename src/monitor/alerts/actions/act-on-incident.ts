import type { Instant } from "../../../lib/instant.ts";
import { asOne } from "../../incidents/cause.ts";
import { joinCause, leaveCause, merge, split, withAction } from "../../incidents/incident-actions.ts";
import { incidentAsAlert } from "../../incidents/incident-as-alert.ts";
import type { Alert } from "../../model/alert.ts";
import { type Actor, type AlertAction, describeActor } from "../../model/alert-action.ts";
import type { ActionResult, MoveResult } from "../../model/alert-actions.ts";
import type { Incident, IncidentEntry, WholeIncident } from "../../model/incident.ts";
import type { Facts, Stores } from "../../store/stores.ts";
import { act } from "../act.ts";

/** An incident that has not ended, with its alerts. */
interface FoundIncident {
  readonly incident: Incident;
  readonly members: readonly Alert[];
  /** The incidents of other queries that it speaks for. */
  readonly parts: readonly Incident[];
}

/** The incident that speaks for an alert; null if there is none, or it is over. */
export async function openIncidentOf(
  facts: Pick<Facts, "incidents" | "alerts">,
  { projectId, id }: Pick<Alert, "projectId" | "id">,
): Promise<FoundIncident | null> {
  const whole = (await facts.incidents.wholes(projectId, [id])).get(id);
  if (whole === undefined || asOne(whole).status === "over") return null;
  const { incident, parts } = whole;
  return { incident, members: await membersOf(facts, incident), parts };
}

/** The locks of all its queries, for a transaction that changes it: also of those that joined it while we waited. */
export async function lockQueriesOf(
  facts: Pick<Facts, "incidents" | "queries">,
  { projectId, id, queryId }: Pick<Alert, "projectId" | "id" | "queryId">,
): Promise<void> {
  const held = new Set<string>();
  for (let queryIds = [queryId]; queryIds.length > 0; ) {
    const whole = (await facts.incidents.wholes(projectId, [id])).get(id);
    const those = whole === undefined ? [] : [whole.incident, ...whole.parts];
    const ids = new Set([queryId, ...those.map((one) => one.queryId)]);
    // In one order: two transactions do not wait for each other.
    queryIds = [...ids].filter((one) => !held.has(one)).sort();
    for (const one of queryIds) {
      await facts.queries.lock(projectId, one);
      held.add(one);
    }
  }
}

/** What a person does to one alert of an incident is done to the incident, and to all its open alerts. */
export async function actOnIncident(
  facts: Facts,
  { incident, members, parts }: FoundIncident,
  action: AlertAction,
  by: Actor,
  now: Instant,
): Promise<ActionResult | null> {
  const subject = incidentAsAlert(incident, members);
  if (subject === null) return null;
  const isAcknowledged = incident.handling.acknowledgedBy !== undefined;
  const acted = act(
    // One that is watched needs no acknowledgement, and may have one.
    { ...subject, state: isAcknowledged ? "acknowledged" : "firing" },
    action,
    describeActor(by),
    now,
  );
  if (acted.outcome === "Refused") return acted;
  const { projectId } = incident;
  await facts.notifications.lockNotifications(projectId);
  const step = withAction(incident, acted.alert, acted.event.detail, now);
  await writeStep(facts, step, by);
  const others: Alert[] = [];
  for (const part of parts) {
    if (part.status === "over") continue;
    await writeStep(facts, withAction(part, acted.alert, acted.event.detail, now), by);
    others.push(...(await membersOf(facts, part)));
  }
  for (const member of [...members, ...others].filter(({ firedAt }) => firedAt !== null)) {
    const own = act(member, action, describeActor(by), now);
    if (own.outcome === "Refused") continue;
    await facts.alerts.amend(own.alert);
    await facts.alerts.addEvents(projectId, [{ ...own.event, actor: by }]);
    await facts.alertMessages.wake(projectId, member.id);
  }
  await decideAgain(facts, step.incident, now);
  return acted;
}

/** The alerts of `fromId` go into `intoId`. Null: there is no such incident. */
export function mergeIncidents(
  stores: Stores,
  intoId: string,
  fromId: string,
  by: Actor,
  now: Instant,
): Promise<MoveResult | null> {
  return stores.transaction(async (facts) => {
    const [into, from] = [await findLocked(facts, intoId), await findLocked(facts, fromId)];
    if (into === null || from === null) return null;
    const { projectId } = into;
    // Before it is read what they speak for: an incident of a third query may begin as a part of one of them.
    await facts.notifications.lockNotifications(projectId);
    const parts = await partsOf(facts, from);
    if (into.queryId !== from.queryId) return joinQueries(facts, into, { incident: from, parts }, by, now);
    const joined = await membersOf(facts, from);
    const members = [...(await membersOf(facts, into)), ...joined];
    const merged = merge(into, { incident: from, parts }, members, describeActor(by), now);
    if (merged.outcome === "Refused") return merged;
    await facts.incidents.join(
      joined.map(({ id }) => ({
        projectId,
        alertId: id,
        incidentId: into.id,
        joinedAt: now,
        because: `merged by ${describeActor(by)}`,
      })),
    );
    await writeStep(facts, merged.from, by);
    await writeStep(facts, merged.into, by);
    await decideAgain(facts, merged.into.incident, now);
    return { outcome: "Done", incident: merged.into.incident };
  });
}

/** An incident of another query keeps its own counts and its own end; the first one speaks for both. */
async function joinQueries(
  facts: Facts,
  into: Incident,
  from: WholeIncident,
  by: Actor,
  now: Instant,
): Promise<MoveResult> {
  const joined = joinCause(into, from, describeActor(by), now);
  if (joined.outcome === "Refused") return joined;
  await writeStep(facts, joined.part, by);
  await writeStep(facts, joined.into, by);
  await decideAgain(facts, from.incident, now);
  await decideAgain(facts, into, now);
  return { outcome: "Done", incident: joined.into.incident };
}

/** The alert leaves its incident, and has messages of its own from then on. Null: it is in none. */
export async function splitAlert(
  stores: Stores,
  alert: Alert,
  by: Actor,
  now: Instant,
): Promise<MoveResult | null> {
  return stores.transaction(async (facts) => {
    const { projectId, id } = alert;
    await lockQueriesOf(facts, alert);
    const found = await openIncidentOf(facts, alert);
    if (found === null) return null;
    const part = found.parts.find(({ leaderId }) => leaderId === id);
    if (part !== undefined) {
      const left = leaveCause(part, found.incident, describeActor(by), now);
      await facts.notifications.lockNotifications(projectId);
      await writeStep(facts, left, by);
      await facts.incidents.save([left.whole]);
      await leaveMessages(facts, alert, found.incident);
      await decideAgain(facts, left.incident, now);
      await decideAgain(facts, found.incident, now);
      return { outcome: "Done", incident: left.incident };
    }
    const its = (await facts.incidents.ofAlerts(projectId, [id])).get(id);
    if (its?.id !== found.incident.id)
      return { outcome: "Refused", because: "it is in an incident of another query: split that one first" };
    const rest = found.members.filter((member) => member.id !== id);
    const done = split(found.incident, alert, rest, describeActor(by), now);
    if (done.outcome === "Refused") return done;
    await facts.notifications.lockNotifications(projectId);
    await facts.incidents.leave(projectId, id);
    await writeStep(facts, done.rest, by);
    await leaveMessages(facts, alert, found.incident);
    await facts.notifications.reconsider(projectId, id, Math.min(now, alert.lastSeenAt));
    await decideAgain(facts, done.rest.incident, now);
    return { outcome: "Done", incident: done.rest.incident };
  });
}

/** Nothing was decided about an alert that only the messages of an incident showed: now their receivers are asked. */
async function leaveMessages(
  facts: Facts,
  { projectId, id }: Pick<Alert, "projectId" | "id">,
  { leaderId }: Incident,
): Promise<void> {
  const entries = await facts.notifications.entries(projectId, [id, leaderId]);
  const own = new Set(entries.filter(({ alertId }) => alertId === id).map(({ receiver }) => receiver));
  await facts.notifications.saveEntries(
    entries
      .filter(({ receiver }) => !own.has(receiver))
      .map((one) => ({
        ...one,
        alertId: id,
        entry: { lastNotified: null, last: "InIncident" },
        nextAt: null,
      })),
  );
}

async function findLocked(facts: Facts, id: string): Promise<Incident | null> {
  const [found, another] = await facts.incidents.findByPrefix(id);
  if (found === undefined || another !== undefined) return null;
  await facts.queries.lock(found.projectId, found.queryId);
  return facts.incidents.find(found.projectId, found.id);
}

/** The incidents that it speaks for. */
async function partsOf(facts: Facts, { projectId, id, leaderId }: Incident): Promise<readonly Incident[]> {
  const whole = (await facts.incidents.wholes(projectId, [leaderId])).get(leaderId);
  return whole?.incident.id === id ? whole.parts : [];
}

async function membersOf(
  facts: Pick<Facts, "incidents" | "alerts">,
  { projectId, id }: Incident,
): Promise<Alert[]> {
  const memberships = await facts.incidents.members(projectId, [id]);
  return facts.alerts.findMany(
    projectId,
    memberships.map(({ alertId }) => alertId),
  );
}

async function writeStep(
  facts: Facts,
  { incident, entries }: { readonly incident: Incident; readonly entries: readonly IncidentEntry[] },
  actor: Actor,
): Promise<void> {
  await facts.incidents.save([incident]);
  await facts.incidents.addEntries(
    incident.projectId,
    entries.map((entry) => ({ ...entry, actor })),
  );
}

async function decideAgain(
  facts: Facts,
  { projectId, leaderId, lastSeenAt }: Incident,
  now: Instant,
): Promise<void> {
  await facts.notifications.reconsider(projectId, leaderId, Math.min(now, lastSeenAt));
  await facts.alertMessages.wake(projectId, leaderId);
  await facts.dueWork.announce();
}
