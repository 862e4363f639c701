import { HOUR } from "../../../lib/instant.ts";
import { countedSubject } from "../../../lib/numbers.ts";
import { asOne } from "../../incidents/cause.ts";
import { faceOf, incidentAsAlert } from "../../incidents/incident-as-alert.ts";
import { countIncident, spanOf } from "../../incidents/incident-counts.ts";
import { calmFrom } from "../../incidents/incident-life.ts";
import { isSmall } from "../../incidents/join.ts";
import type { Alert } from "../../model/alert.ts";
import type { Incident, IncidentCounts } from "../../model/incident.ts";
import { type Mention, speakerOf } from "../../model/mention.ts";
import { titleOf } from "../../model/wording.ts";
import type { Rule } from "../../rules/rule.ts";
import type { Facts } from "../../store/stores.ts";
import { MOST_LISTED } from "../../templates/build-alert-view.ts";
import { shortLine } from "../../templates/escape.ts";
import { type IncidentFacts, lastHourCount } from "../../templates/incident-view.ts";
import { topMentions } from "../../templates/mention-view.ts";
import { mentionsOfAlert } from "./alert-mentions.ts";

/** The incident whose messages are those about this alert, as an alert; null if there is none. */
export async function incidentOf(stores: Facts, projectId: string, alertId: string) {
  const whole = (await stores.incidents.wholes(projectId, [alertId])).get(alertId);
  if (whole?.incident.leaderId !== alertId) return null;
  const { incident: own, parts } = whole;
  const incident = asOne(whole);
  const memberships = await stores.incidents.members(
    projectId,
    [own, ...parts].map(({ id }) => id),
  );
  const all = await stores.alerts.findMany(
    projectId,
    memberships.map((one) => one.alertId),
  );
  const members = all.filter(({ queryId }) => queryId === own.queryId);
  const alert = incidentAsAlert(incident, members);
  const face = faceOf(own, members);
  if (alert === null || face === undefined) return null;
  // It ended when it became calm; that it has stayed calm was only known later.
  const resolvedAt = incident.endedAt === null ? null : (calmFrom(incident) ?? incident.endedAt);
  return { incident, own, parts, members: all, alert: { ...alert, resolvedAt }, face };
}

/** One warning that nothing joined is shown as the alert that it is. */
export async function incidentFacts(
  stores: Facts,
  rules: readonly Rule[],
  { incident, own, parts, members, face }: NonNullable<Awaited<ReturnType<typeof incidentOf>>>,
): Promise<IncidentFacts | null> {
  if (isSmall(incident)) return null;
  const { projectId } = incident;
  const others = members
    .filter(({ id, firedAt }) => id !== face.id && firedAt !== null)
    .sort((a, b) => (b.firedAt ?? 0) - (a.firedAt ?? 0));
  const entries = await stores.incidents.entries(projectId, incident.id);
  const news = entries.findLast(({ kind }) => kind === "NewFact")?.alertId;
  const joined = others.slice(0, MOST_LISTED).map(async (alert) => {
    const rule = rules.find(({ name }) => name === alert.rule);
    // What is new is said in words; the numbers of another rule would need a sentence each.
    const isTold = alert.windowTo <= alert.windowFrom || alert.id === news;
    const text = isTold ? await wordsOfAlert(stores, alert, rule) : "";
    return { alert, title: titleIn(rule, alert, own), text };
  });
  return {
    incident: { ...incident, calmSince: calmFrom(incident) },
    face,
    joined: await Promise.all(joined),
    counts: await countsOf(stores, own),
    parts: await Promise.all(
      parts.map(async (part) => ({ incident: part, counts: await countsOf(stores, part) })),
    ),
    entries,
  };
}

async function countsOf({ incidents }: Facts, incident: Incident): Promise<IncidentCounts> {
  const { projectId, queryId, checkedUntil } = incident;
  const span = spanOf(incident);
  const [from, to] = [Math.min(span.from, span.to - HOUR), Math.max(span.to, checkedUntil)];
  return countIncident(incident, await incidents.mentionBuckets(projectId, queryId, from, to), span);
}

/** An alert of another query says of which. */
function titleIn(rule: Rule | undefined, alert: Alert, own: Incident): string {
  const title = rule?.title ?? titleOf(alert.rule);
  return alert.queryId === own.queryId ? title : `${alert.queryName}, ${title}`;
}

/**
 * The incident in the sentence of an alert. While the alert that describes it is open, its own sentence says what there
 * is; when that alert is over, the incident is counted, because the alert's numbers are of an earlier hour.
 */
export function restate(alert: Alert, { incident, face, counts }: IncidentFacts): Alert {
  if (face.resolvedAt === null || alert.windowTo <= alert.windowFrom) return alert;
  const { measure } = incident;
  const subject = measure === "negative" ? "negative mentions" : "mentions";
  const all = countedSubject(counts[measure], subject);
  const because = incident.endedAt === null ? lastHourCount(incident, counts) : `${all} in all`;
  return { ...alert, because, values: {} };
}

/** Who says what in it: its newest mention, or the one that explains best what it counted. */
async function wordsOfAlert(stores: Facts, alert: Alert, rule: Rule | undefined): Promise<string> {
  const isCounted = alert.windowTo > alert.windowFrom;
  const mention = isCounted ? await topMention(stores, alert, rule) : await newestMention(stores, alert);
  if (mention === null) return isCounted ? "" : alert.because;
  const { title, text } = mention;
  const who = shortLine(speakerOf(mention) ?? "unknown author", 40);
  // A quotation that is cut off still ends: what follows it is ours.
  return `${who}: “${shortLine(title ?? text ?? "", 95)}”`;
}

async function newestMention({ mentions }: Facts, { projectId, id }: Alert): Promise<Mention | null> {
  const [newest] = await mentions.ofAlert(projectId, id, 1);
  return newest?.mention ?? null;
}

async function topMention(stores: Facts, alert: Alert, rule: Rule | undefined): Promise<Mention | null> {
  const found = await mentionsOfAlert(stores, alert, rule);
  const stories = new Map(found.map(({ mention, story }) => [mention, story]));
  const [top] = topMentions([...stories.keys()], 1, (mention) => stories.get(mention) ?? "");
  return top?.mention ?? null;
}
