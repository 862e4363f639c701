import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import type { ConsoleFacts, Stores } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { MINUTE, SECOND } from "../lib/instant.ts";
import type { Html } from "./common/html.ts";
import type { Times } from "./common/times.ts";
import { roomBusyPage, roomGonePage, roomGonePart, roomPage, roomPart } from "./pages/room.ts";
import { type IncidentStory, readIncidentStory, roomOf } from "./parts/incident-work.ts";

/** An office behind one address, with many readers who ask twice a minute each, stays below it. */
const ASKED_IN_A_MINUTE = 240;
/** However many people read a room, it is read from the database once in this time. */
const STORY_LIVES_MS = 5 * SECOND;
/** The status with which htmx shows an answer and asks no more. */
const STOP_ASKING = 286;

const Params = z.object({ secret: z.string().max(100) });
const Asked = z.object({ part: z.literal("now").nullable().catch(null) });

/** Crisis rooms: what a link shows to people without an account. Nothing here reads a cookie, sets one, or writes. */
export function roomRoutes(
  app: FastifyInstance,
  parts: {
    readonly facts: ConsoleFacts;
    readonly stores: Stores;
    readonly times: Times;
    readonly wall: Clock;
  },
): void {
  const { stores, times, wall } = parts;
  const limit = app.createRateLimit({ max: ASKED_IN_A_MINUTE, timeWindow: MINUTE });
  const made = new Map<string, { readonly at: number; readonly story: Promise<IncidentStory | null> }>();

  app.get("/rooms/:secret", async (request, reply) => {
    const { secret } = Params.parse(request.params);
    const { part } = Asked.parse(request.query);
    reply.headers({
      "x-robots-tag": "noindex, nofollow, noarchive",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    const counted = await limit(request);
    if (!counted.isAllowed && counted.isExceeded) return send(reply.code(429), roomBusyPage());
    const room = await roomOf(stores, secret, wall.now());
    const story = room === null ? null : await storyOf(room.incidentId);
    if (room === null || story === null)
      return part === null
        ? send(reply.code(404), roomGonePage())
        : send(reply.code(STOP_ASKING), roomGonePart());
    if (part !== null) return send(reply, roomPart(story, times));
    // Who has no browser of a person, such as the preview of a chat, counts as well.
    if (request.method === "GET") await stores.rooms.noteOpening(room.id, wall.now());
    return send(reply, roomPage(story, room, `/rooms/${secret}`, times));
  });

  function storyOf(incidentId: string): Promise<IncidentStory | null> {
    const now = wall.now();
    for (const [id, { at }] of made) if (now < at || now - at >= STORY_LIVES_MS) made.delete(id);
    const known = made.get(incidentId);
    if (known !== undefined) return known.story;
    const story = readIncidentStory(parts, incidentId, times.now());
    made.set(incidentId, { at: now, story });
    story.catch(() => made.delete(incidentId));
    return story;
  }
}

function send(reply: FastifyReply, page: Html): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(page.toString());
}
