import type { Instant } from "../../../lib/instant.ts";
import { uuid7 } from "../../../lib/uuid7.ts";
import type { Actor } from "../../model/alert-action.ts";
import type { WriteNoteResult } from "../../model/alert-actions.ts";
import type { Incident } from "../../model/incident.ts";
import type { IncidentNote } from "../../model/incident-work.ts";
import type { Facts } from "../../store/stores.ts";

/** What somebody writes about an incident. */
export interface WrittenNote extends Pick<IncidentNote, "kind" | "status" | "text"> {
  /** The newest of its kind on the page of whoever writes: nobody replaces words that they have not read. */
  readonly seen?: string | null;
  readonly origin?: string | null;
}

/**
 * Adds what somebody wrote, in a transaction, under the lock of the incident. A comment makes its messages due: each
 * gets it in its thread.
 */
export async function writeNote(
  facts: Facts,
  { projectId, queryId, id: incidentId }: Incident,
  { kind, status, text, seen = null, origin = null }: WrittenNote,
  by: Actor,
  now: Instant,
): Promise<WriteNoteResult> {
  await facts.queries.lock(projectId, queryId);
  const incident = await facts.incidents.find(projectId, incidentId);
  if (incident === null) return { outcome: "Refused", because: "the incident is no longer stored" };
  const notes = await facts.incidentNotes.list(projectId, incidentId);
  const before = newestOf(notes, kind);
  if (kind !== "comment" && before !== null && before.id !== seen)
    return { outcome: "Refused", because: "somebody has written one meanwhile: read it first" };
  // The order of ids is the order of writing, also where the clock of another process was ahead.
  const at = Math.max(now, (notes.at(-1)?.at ?? 0) + 1);
  const note = { id: uuid7(at), projectId, incidentId, at, kind, status, text, actor: by, origin };
  await facts.incidentNotes.add(note);
  if (kind === "comment") {
    await facts.incidents.save([{ ...incident, comments: (incident.comments ?? 0) + 1 }]);
    await facts.alertMessages.wake(projectId, incident.leaderId);
    await facts.dueWork.announce();
  }
  return { outcome: "Done", note };
}

export function newestOf(notes: readonly IncidentNote[], kind: IncidentNote["kind"]): IncidentNote | null {
  return notes.findLast((note) => note.kind === kind) ?? null;
}
