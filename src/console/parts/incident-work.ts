import { randomBytes } from "node:crypto";
import type {
  Actor,
  ConsoleFacts,
  CrisisRoom,
  Incident,
  IncidentNote,
  Stores,
  WholeShownIncident,
} from "#monitor";
import { sha256 } from "../../lib/hashes.ts";
import { DAY, floorTo, HOUR, type Instant } from "../../lib/instant.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import { buildVolume, type QueryVolume } from "./build-volume.ts";

/** How long the link of a room may work, and what is chosen if nobody chooses. */
export const ROOM_LENGTHS = [4 * HOUR, DAY, 3 * DAY, 7 * DAY] as const;
export const ROOM_MS = DAY;

const HOURS = 24;
const STORIES = 5;

/** An incident as people work on it: what its room shows as well, and what only colleagues see. */
export interface IncidentStory extends WholeShownIncident {
  /** By query, of the last 24 hours. */
  readonly volume: readonly QueryVolume[];
  readonly stories: Awaited<ReturnType<ConsoleFacts["incidentStories"]>>;
  /** Statements, comments and lessons, oldest first. */
  readonly notes: readonly IncidentNote[];
}

/** What reads of incidents need. */
export interface IncidentWork {
  readonly facts: ConsoleFacts;
  readonly stores: Pick<Stores, "incidentNotes">;
}

/** Null: there is no such incident, or its month was dropped. */
export async function readIncidentStory(
  { facts, stores }: IncidentWork,
  id: string,
  now: Instant,
): Promise<IncidentStory | null> {
  const shown = await facts.incident(id);
  if (shown === null) return null;
  const { incident, parts } = shown;
  const whole = [incident, ...parts];
  const queryIds = [...new Set(whole.map(({ queryId }) => queryId))];
  const from = floorTo(now, HOUR) - (HOURS - 1) * HOUR;
  const { from: since, to } = spanOf(whole);
  const [counts, stories, notes] = await Promise.all([
    facts.incidentVolume(incident, whole, from, from + HOURS * HOUR),
    facts.incidentStories(incident, queryIds, since, to, STORIES),
    stores.incidentNotes.list(incident.projectId, incident.id),
  ]);
  return { ...shown, volume: buildVolume(counts, from, HOURS), stories, notes };
}

/** From the first mention that an incident counts to its newest evidence; of its parts, too. */
export function spanOf(whole: readonly Incident[]): { readonly from: Instant; readonly to: Instant } {
  return {
    from: Math.min(...whole.map(({ countedFrom }) => countedFrom)),
    to: Math.max(...whole.map(({ lastSeenAt, uncalmUntil }) => Math.max(lastSeenAt, uncalmUntil))) + 1,
  };
}

export type WorkResult<T> =
  | ({ readonly outcome: "Done" } & T)
  | { readonly outcome: "Refused"; readonly because: string };

interface Work {
  readonly stores: Stores;
  readonly by: Actor;
  readonly now: Instant;
}

/** Makes the link of an incident: one at a time. The secret is shown now and never again. */
export function openRoom(
  { stores, by, now }: Work,
  { projectId, queryId, id: incidentId }: Incident,
  lengthMs: number,
): Promise<WorkResult<{ readonly path: string; readonly until: Instant }>> {
  const secret = randomBytes(32).toString("base64url");
  const until = now + lengthMs;
  return stores.transaction(async ({ queries, rooms }) => {
    await queries.lock(projectId, queryId);
    if ((await rooms.ofIncident(projectId, incidentId, now)) !== null)
      return { outcome: "Refused", because: "there is a link already: end it, and make another one" };
    const room = { id: uuid7(now), projectId, incidentId, createdAt: now, until, actor: by };
    await rooms.add({ ...room, secretHash: sha256(secret) });
    return { outcome: "Done", path: `/rooms/${secret}`, until };
  });
}

/** The link works no more, from the next request on. */
export function endRoom(
  { stores, by, now }: Work,
  { projectId, queryId, id }: Incident,
): Promise<WorkResult<object>> {
  return stores.transaction(async ({ queries, rooms }) => {
    await queries.lock(projectId, queryId);
    const isEnded = await rooms.end(projectId, id, by, now);
    return isEnded ? { outcome: "Done" } : { outcome: "Refused", because: "its link has ended already" };
  });
}

/** The room that a link opens; null for every link that opens none. */
export function roomOf(
  stores: Pick<Stores, "rooms">,
  secret: string,
  now: Instant,
): Promise<CrisisRoom | null> {
  return stores.rooms.find(sha256(secret), now);
}
