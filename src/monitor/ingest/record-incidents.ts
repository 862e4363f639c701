import { DAY, floorTo, HOUR, type Instant } from "../../lib/instant.ts";
import { beginIncident } from "../incidents/begin-incident.ts";
import { asPartOf } from "../incidents/cause.ts";
import { advance, grow, type IncidentStep, rouse } from "../incidents/incident-life.ts";
import {
  decideJoining,
  type JoinableIncident,
  type JoinReason,
  REOPEN_WITHIN_MS,
} from "../incidents/join.ts";
import { type Material, sharedWith, withoutMentions } from "../incidents/material.ts";
import { isNews, joinEvents, joinedBy, openedBy, reopened, withNewFact } from "../incidents/membership.ts";
import { type Alert, firedAtOf } from "../model/alert.ts";
import type { AlertEvent } from "../model/alert-action.ts";
import type { Incident, IncidentEntry, Membership } from "../model/incident.ts";
import { BUCKET_MS } from "../model/judging.ts";
import type { Mention, StoryMention } from "../model/mention.ts";
import type { WatchedQuery } from "../model/query.ts";
import { activeInhibitors, type Inhibition, inhibitorOf } from "../notify/decide/inhibition.ts";
import type { Rule } from "../rules/rule.ts";
import type { Facts } from "../store/stores.ts";
import { createIncidentReader, type IncidentFacts } from "./incident-reader.ts";
import { createMaterialReader, isAboutEverything } from "./material-reader.ts";
import type { RecordedObservations } from "./record-observations.ts";

/** What of the configuration decides about incidents. */
interface IncidentConfig {
  readonly rules: readonly Rule[];
  readonly inhibitions: readonly Inhibition[];
}

/**
 * Lets changed alerts begin, join and change incidents of their query, in the transaction that changed them. With
 * `until`, up to which windows were judged, incidents are watched and ended, too. The caller holds the lock of the
 * query. Returns the alerts whose notifications are to be decided: the changed ones, and the leaders of incidents that
 * changed.
 */
export async function recordIncidents(
  facts: IncidentFacts,
  query: WatchedQuery,
  config: IncidentConfig,
  { changed, calling }: RecordedObservations,
  until: Instant | null,
): Promise<readonly Alert[]> {
  const called = changed.filter(({ id, firedAt }) => calling.has(id) && firedAt !== null);
  const since = Math.min(until ?? query.tickedUntil, ...called.map(firedAtOf)) - REOPEN_WITHIN_MS;
  const known = await facts.incidents.ofQuery(query.projectId, query.queryId, since);
  if (known.length === 0 && called.length === 0) return changed;
  const book = await openBook(facts, query, config, changed, known);
  for (const alert of called.toSorted((a, b) => firedAtOf(a) - firedAtOf(b))) {
    if (until !== null) await book.advanceAll(firedAtOf(alert));
    await book.call(alert, calling.get(alert.id) ?? []);
  }
  await book.growAll();
  if (until !== null) await book.advanceAll(until);
  return book.write();
}

/**
 * A query that is not watched any more ends its incidents with its alerts. Returns the alerts whose notifications are to be
 * decided: one that has calmed down has only resolved alerts.
 */
export async function endIncidents(
  facts: Facts,
  { projectId, queryId }: WatchedQuery,
  changed: readonly Alert[],
  now: Instant,
): Promise<readonly Alert[]> {
  const open = await facts.incidents.openOfQuery(projectId, queryId);
  await facts.incidents.save(
    open.map((incident) => ({ ...incident, status: "over", endedAt: Math.max(now, incident.openedAt) })),
  );
  const detail = "its query is no longer watched";
  await facts.incidents.addEntries(
    projectId,
    open.map(({ id }) => ({ incidentId: id, at: now, kind: "Over", detail })),
  );
  const known = new Set(changed.map(({ id }) => id));
  const leaders = await facts.alerts.findMany(
    projectId,
    open.flatMap(({ leaderId }) => (known.has(leaderId) ? [] : [leaderId])),
  );
  return [...changed, ...leaders];
}

/** The incidents of a query while a transaction changes them. */
async function openBook(
  facts: IncidentFacts,
  query: WatchedQuery,
  { rules, inhibitions }: IncidentConfig,
  changed: readonly Alert[],
  known: readonly Incident[],
) {
  const { projectId } = query;
  const incidents = new Map(known.map((incident) => [incident.id, incident]));
  const memberships = await facts.incidents.members(projectId, [...incidents.keys()]);
  const incidentOf = new Map(memberships.map((one) => [one.alertId, one.incidentId]));
  const alerts = new Map(
    [
      ...(await facts.alerts.findMany(
        projectId,
        memberships.map((one) => one.alertId),
      )),
      ...changed,
    ].map((alert) => [alert.id, alert]),
  );
  const membersOf = (incident: Incident): Alert[] =>
    [...incidentOf].flatMap(([alertId, id]) => (id === incident.id ? (alerts.get(alertId) ?? []) : []));
  const ruleOf = (alert: Alert) => rules.find(({ name }) => name === alert.rule);
  const reader = createIncidentReader(facts, query);
  const materials = createMaterialReader(facts.mentions, query, ruleOf, membersOf);
  const joined: Membership[] = [];
  const entries: IncidentEntry[] = [];
  const events: AlertEvent[] = [];
  let inhibitors: ReturnType<typeof activeInhibitors> | null = null;
  let unaffiliated: readonly Alert[] | null = null;

  const keep = (step: IncidentStep): Incident => {
    incidents.set(step.incident.id, step.incident);
    entries.push(...step.entries);
    return step.incident;
  };

  function add(before: Incident, alert: Alert, at: Instant, because: string): Incident {
    materials.addAlert(before, alert);
    incidentOf.set(alert.id, before.id);
    if (!alerts.has(alert.id)) inhibitors = null;
    alerts.set(alert.id, alert);
    joined.push({ projectId, alertId: alert.id, incidentId: before.id, joinedAt: at, because });
    return keep(joinedBy(before, alert, at, because));
  }

  /** An incident that has calmed down or ended is open again. */
  async function wake(incident: Incident, at: Instant): Promise<void> {
    if (incident.calmSince === null) return;
    if (incident.endedAt !== null) keep(reopened(incident, at));
    else keep(rouse(incident, await reader.paceOf(incident, at), at, query.timezone));
  }

  async function open(alert: Alert, group: string, mentions: readonly StoryMention[]): Promise<void> {
    const from = alert.openedAt - 8 * DAY;
    const buckets = await reader.buckets(from, firedAtOf(alert));
    const incident = beginIncident(query, alert, group, mentions, buckets);
    const cause = await reader.causeOf(incident, mentions);
    incidentOf.set(alert.id, incident.id);
    const at = firedAtOf(alert);
    joined.push({ projectId, alertId: alert.id, incidentId: incident.id, joinedAt: at, because: "" });
    keep(openedBy(alert, incident));
    if (cause.outcome === "PartOf") {
      const step = asPartOf(cause.incident, incident);
      keep(step);
      events.push({ alertId: alert.id, at, what: "JoinedIncident", detail: step.because });
    }
    await adopt(incident, mentions);
  }

  /** Alerts that were open and alone, and belong to the incident that began now. */
  async function adopt(incident: Incident, mentions: readonly StoryMention[]): Promise<void> {
    unaffiliated ??= await reader.alertsAlone();
    const at = incident.checkedUntil;
    const near = unaffiliated.filter(
      (alert) => !incidentOf.has(alert.id) && firedAtOf(alert) <= at && firedAtOf(alert) > at - DAY,
    );
    if (near.length === 0) return;
    const material = await materials.ofNew(incident, mentions);
    for (const alert of near.slice(0, MOST_ADOPTED)) {
      const rule = ruleOf(alert);
      if (rule === undefined || rule.incident !== incident.group) continue;
      const own = await materials.mentionsOf(alert, [], at);
      const shared = sharedWith(own, withoutOwn(material, rule, own));
      if (shared !== null) add(incidents.get(incident.id) ?? incident, alert, at, `it shares ${shared}`);
    }
  }

  return {
    /** The alert fired, fired again, or became more severe. */
    async call(alert: Alert, matched: readonly Mention[]): Promise<void> {
      const at = firedAtOf(alert);
      const own = incidents.get(incidentOf.get(alert.id) ?? "");
      const rule = ruleOf(alert);
      const counts = rule?.kind === "window" && rule.window.type !== "absence";
      if (own !== undefined) {
        // Nobody would be notified about what is over.
        if (counts || own.endedAt !== null) await wake(own, Math.max(at, own.calmSince ?? at));
        return;
      }
      if (rule === undefined || rule.incident === null) return;
      const near = [...incidents.values()];
      if (near.length === 0 && !counts) return;
      inhibitors ??= activeInhibitors(inhibitions, [...alerts.values()]);
      const mutedBy = incidentOf.get(inhibitorOf(inhibitors, alert)?.source.id ?? "");
      const mentions = await materials.mentionsOf(alert, matched, at);
      const joinable: JoinableIncident[] = [];
      for (const incident of near)
        joinable.push({
          incident,
          material: withoutOwn(await materials.ofIncident(incident, at), rule, mentions),
          mutes: incident.id === mutedBy,
          surge: materials.surgeOf(incident),
        });
      const joining = decideJoining({ alert, firedAt: at, group: rule.incident, counts, mentions }, joinable);
      if (joining.outcome === "Opens") return open(alert, rule.incident ?? "", mentions);
      if (joining.outcome === "Apart") return;
      if (counts) await wake(joining.incident, at);
      const incident = incidents.get(joining.incident.id) ?? joining.incident;
      const isKnown = materials.hasAlertOf(incident, alert.rule);
      const joinedNow = add(incident, alert, at, JOINED[joining.because]);
      if (isKnown || !isTopical(rule) || at - incident.factAt < BETWEEN_FACTS_MS) return;
      const { quarter } = await reader.paceOf(joinedNow, at);
      keep(withNewFact(joinedNow, alert, rule.title, at, quarter));
    },

    async growAll(): Promise<void> {
      const touched = new Set(changed.flatMap(({ id }) => incidentOf.get(id) ?? []));
      for (const id of touched) {
        const incident = incidents.get(id);
        if (incident === undefined || incident.status === "over") continue;
        const members = membersOf(incident);
        const at = Math.max(incident.openedAt, ...members.map((one) => one.lastSeenAt));
        keep(grow(incident, members, at, (await reader.paceOf(incident, at)).quarter));
      }
    },

    async advanceAll(to: Instant): Promise<void> {
      for (const incident of [...incidents.values()]) {
        if (incident.status === "over" || incident.checkedUntil >= to) continue;
        const from = incident.checkedUntil - HOUR;
        const buckets = await reader.buckets(from, to);
        let now = incident;
        for (
          let at = floorTo(now.checkedUntil, BUCKET_MS) + BUCKET_MS;
          now.checkedUntil < to;
          at += BUCKET_MS
        ) {
          const until = Math.min(at, to);
          const returns = await reader.returnsAt(now, buckets, until, () => materials.ofIncident(now, until));
          now = keep(advance(now, membersOf(now), buckets, until, query.timezone, returns));
          if (now.status === "over") break;
        }
      }
    },

    async write(): Promise<readonly Alert[]> {
      const before = new Map(known.map((incident) => [incident.id, incident]));
      const moved = [...incidents.values()].filter((incident) => incident !== before.get(incident.id));
      await facts.incidents.save(moved);
      await facts.incidents.join(joined);
      await facts.incidents.addEntries(
        projectId,
        await Promise.all(
          entries.map((one) => reader.comparedWithYesterday(one, incidents.get(one.incidentId))),
        ),
      );
      await facts.alerts.addEvents(projectId, [...events, ...joinEvents(joined, incidents, alerts)]);
      const leaders = moved
        .filter((incident) => isNews(incident, before.get(incident.id)))
        .flatMap(({ leaderId }) => alerts.get(leaderId) ?? []);
      return [...new Map([...changed, ...leaders].map((alert) => [alert.id, alert])).values()];
    },
  };
}

const MOST_ADOPTED = 50;
/** Facts that arrive together, as at the beginning, are one piece of news. */
const BETWEEN_FACTS_MS = HOUR / 2;

const JOINED: Readonly<Record<JoinReason, string>> = {
  MutedByIt: "it was muted by an alert of the incident",
  SharesStories: "it shares stories",
  SharesAuthors: "it shares authors",
  SharesWords: "it shares words",
  InItsWave: "nearly all that is said then, or nearly all that is negative, is about the incident",
};

/** A rule about more than volume and mood: what it finds is a new kind of fact. */
function isTopical(rule: Rule): boolean {
  if (rule.kind === "mention" || rule.kind === "new") return true;
  return !isAboutEverything(rule) && rule.when.sentiment === undefined;
}

/** What counts for a single mention has to come from others: the incident may have counted it, too. */
function withoutOwn(material: Material, { kind }: Rule, mentions: readonly StoryMention[]): Material {
  if (kind !== "mention") return material;
  return withoutMentions(material, mentions);
}
