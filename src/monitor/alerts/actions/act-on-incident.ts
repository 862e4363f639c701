import type { Instant } from "../../../lib/instant.ts";
import { merge, split, withAction } from "../../incidents/incident-actions.ts";
import { incidentAsAlert } from "../../incidents/incident-as-alert.ts";
import type { Alert } from "../../model/alert.ts";
import { type Actor, type AlertAction, describeActor } from "../../model/alert-action.ts";
import type { Incident, IncidentEntry } from "../../model/incident.ts";
import type { Facts, Stores } from "../../store/stores.ts";
import { type ActionResult, act } from "../act.ts";

/** An incident that has not ended, with its alerts. */
export interface FoundIncident {
  readonly incident: Incident;
  readonly members: readonly Alert[];
}

/** The incident that an alert is in; null if it is in none, or that is over. */
export async function openIncidentOf(
  facts: Pick<Facts, "incidents" | "alerts">,
  { projectId, id }: Pick<Alert, "projectId" | "id">,
): Promise<FoundIncident | null> {
  const incident = (await facts.incidents.ofAlerts(projectId, [id])).get(id);
  if (incident === undefined || incident.status === "over") return null;
  return { incident, members: await membersOf(facts, incident) };
}

/** What a person does to one alert of an incident is done to the incident, and to all its open alerts. */
export async function actOnIncident(
  facts: Facts,
  { incident, members }: FoundIncident,
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
  for (const member of members.filter(({ firedAt }) => firedAt !== null)) {
    const own = act(member, action, describeActor(by), now);
    if (own.outcome === "Refused") continue;
    await facts.alerts.amend(own.alert);
    await facts.alerts.addEvents(projectId, [{ ...own.event, actor: by }]);
    await facts.alertMessages.wake(projectId, member.id);
  }
  await decideAgain(facts, step.incident, now);
  return acted;
}

export type MoveResult =
  | { readonly outcome: "Done"; readonly incident: Incident }
  | { readonly outcome: "Refused"; readonly because: string };

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
    const joined = await membersOf(facts, from);
    const members = [...(await membersOf(facts, into)), ...joined];
    const merged = merge(into, from, members, describeActor(by), now);
    if (merged.outcome === "Refused") return merged;
    const { projectId } = into;
    await facts.notifications.lockNotifications(projectId);
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

/** The alert leaves its incident, and has messages of its own from then on. Null: it is in none. */
export async function splitAlert(
  stores: Stores,
  alert: Alert,
  by: Actor,
  now: Instant,
): Promise<MoveResult | null> {
  return stores.transaction(async (facts) => {
    const { projectId, queryId, id } = alert;
    await facts.queries.lock(projectId, queryId);
    const found = await openIncidentOf(facts, alert);
    if (found === null) return null;
    const rest = found.members.filter((member) => member.id !== id);
    const done = split(found.incident, alert, rest, describeActor(by), now);
    if (done.outcome === "Refused") return done;
    await facts.notifications.lockNotifications(projectId);
    await facts.incidents.leave(projectId, id);
    await writeStep(facts, done.rest, by);
    await facts.notifications.reconsider(projectId, id, Math.min(now, alert.lastSeenAt));
    await decideAgain(facts, done.rest.incident, now);
    return { outcome: "Done", incident: done.rest.incident };
  });
}

async function findLocked(facts: Facts, id: string): Promise<Incident | null> {
  const [found, another] = await facts.incidents.findByPrefix(id);
  if (found === undefined || another !== undefined) return null;
  await facts.queries.lock(found.projectId, found.queryId);
  return facts.incidents.find(found.projectId, found.id);
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
