import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Actor, Incident } from "#monitor";
import type { Instant } from "../lib/instant.ts";
import { IdInAddress } from "./common/address.ts";
import { TypedText } from "./common/typed-text.ts";
import type { createFrames } from "./frames.ts";
import { LONGEST_STATUS, LONGEST_TEXT } from "./pages/incident.ts";
import { type IncidentStory, type IncidentWork, readIncidentStory } from "./parts/incident-work.ts";

/** Of a form with the longest text, in letters of any alphabet. */
export const MOST_BYTES = 60_000;

export const Form = z.object({ by: z.string().trim().max(80).catch("") });

export const Text = Form.extend({
  text: TypedText.pipe(z.string().trim().min(1).max(LONGEST_TEXT)),
  /** The newest text of its kind on the page of whoever writes. */
  seen: z.guid().nullable().catch(null),
});

export const Statement = Text.extend({
  status: z.string().trim().max(LONGEST_STATUS).default(""),
});

/** No words of a text: a request to forget somebody changes notes, and never the audit log. */
export function noteIncident(
  request: FastifyRequest,
  { queryName, id }: Incident,
  actor: Actor,
  detail: string,
): void {
  request.noted = { actor, target: `${queryName}, ${id}`, detail };
}

/** The incident that an address names; null: there is none. */
export async function storyOf(
  { params }: FastifyRequest,
  parts: IncidentWork,
  now: Instant,
): Promise<IncidentStory | null> {
  const { id } = IdInAddress.parse(params);
  return id === null ? null : readIncidentStory(parts, id, now);
}

export function sendNoIncident(
  request: FastifyRequest,
  reply: FastifyReply,
  { sendProblem }: ReturnType<typeof createFrames>,
) {
  return sendProblem(request, reply, 404, "There is no such incident", "Its month may have been dropped.");
}
