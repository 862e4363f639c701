import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type ConsoleFacts, type Stores, writeNote } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { formatDuration, parseDuration } from "../lib/duration.ts";
import { counted } from "../lib/numbers.ts";
import { IdInAddress } from "./address.ts";
import { asksName, mayAct } from "./auth/access.ts";
import type { Forms } from "./auth/forms.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import { actorOf, Form, MOST_BYTES, noteIncident, Statement, Text } from "./incident-forms.ts";
import { endRoom, type IncidentStory, openRoom, ROOM_LENGTHS, readIncidentStory } from "./incident-work.ts";
import { incidentPage, incidentPart, NOTHING_PRESSED, type Pressed } from "./pages/incident.ts";
import type { Times } from "./times.ts";

interface Parts {
  readonly facts: ConsoleFacts;
  readonly stores: Stores;
  readonly forms: Forms;
  readonly times: Times;
  /** Times the links of rooms. */
  readonly wall: Clock;
  readonly publicUrl: string | undefined;
}

/** Where people work on an incident: statements, and the link of its crisis room. */
export function incidentRoutes(
  app: FastifyInstance,
  parts: Parts,
  frames: ReturnType<typeof createFrames>,
): void {
  const { stores, forms, times, wall, publicUrl } = parts;
  const ownForm = { preHandler: [...forms.check] };

  route(app, "/incidents/:id", frames, {
    page: async (request) => {
      const story = await storyOf(request);
      return story === null ? null : pageOf(request, story, NOTHING_PRESSED);
    },
    parts: (request) => ({
      story: async () => {
        const story = await storyOf(request);
        return story === null ? null : incidentPart(story, times);
      },
    }),
    json: storyOf,
  });

  app.post("/incidents/:id/statement", { ...ownForm, bodyLimit: MOST_BYTES }, async (request, reply) => {
    const [story, form] = [await storyOf(request), Statement.safeParse(request.body)];
    if (story === null) return gone(request, reply);
    if (!form.success)
      return show(request, reply.code(400), story, {
        fault: "A statement needs words, of at most 4,000 letters.",
      });
    const { by, status, text, seen } = form.data;
    const written = { kind: "statement" as const, status: status === "" ? null : status, text, seen };
    const actor = actorOf(request, by);
    noteIncident(request, story.incident, actor, counted(text.length, "letter"));
    const done = await stores.transaction((facts) =>
      writeNote(facts, story.incident, written, actor, times.now()),
    );
    if (done.outcome === "Done") return reply.redirect(`/incidents/${story.incident.id}`, 303);
    const newest = (await storyOf(request)) ?? story;
    const fault = `Nothing was published: ${done.because}.`;
    return show(request, reply.code(409), newest, { fault, typed: { status, text } });
  });

  app.post("/incidents/:id/comment", { ...ownForm, bodyLimit: MOST_BYTES }, async (request, reply) => {
    const [story, form] = [await storyOf(request), Text.safeParse(request.body)];
    if (story === null) return gone(request, reply);
    if (!form.success)
      return show(request, reply.code(400), story, {
        fault: "A comment needs words, of at most 4,000 letters.",
      });
    const { by, text } = form.data;
    const actor = actorOf(request, by);
    noteIncident(request, story.incident, actor, counted(text.length, "letter"));
    const comment = { kind: "comment", status: null, text } as const;
    const done = await stores.transaction((facts) =>
      writeNote(facts, story.incident, comment, actor, times.now()),
    );
    if (done.outcome === "Refused")
      return show(request, reply.code(409), story, { fault: `Nothing was written: ${done.because}.` });
    return reply.redirect(`/incidents/${story.incident.id}`, 303);
  });

  app.post("/incidents/:id/room", ownForm, async (request, reply) => {
    const [story, form] = [await storyOf(request), Length.safeParse(request.body)];
    if (story === null) return gone(request, reply);
    if (!form.success)
      return show(request, reply.code(400), story, { fault: "A link works for 7 days at most." });
    const { by, length } = form.data;
    const work = { stores, by: actorOf(request, by), now: wall.now() };
    noteIncident(request, story.incident, work.by, `for ${length}`);
    const done = await openRoom(work, story.incident, parseDuration(length) ?? 0);
    if (done.outcome === "Refused")
      return show(request, reply.code(409), story, { fault: `No link was made: ${done.because}.` });
    const base = publicUrl?.replace(/\/$/, "") ?? `${request.protocol}://${request.host}`;
    return show(request, reply, story, { made: { link: `${base}${done.path}`, until: done.until } });
  });

  app.post("/incidents/:id/room/end", ownForm, async (request, reply) => {
    const story = await storyOf(request);
    if (story === null) return gone(request, reply);
    const { by } = Form.parse(request.body);
    const work = { stores, by: actorOf(request, by), now: wall.now() };
    noteIncident(request, story.incident, work.by, "");
    const done = await endRoom(work, story.incident);
    if (done.outcome === "Refused")
      return show(request, reply.code(409), story, { fault: `Nothing was ended: ${done.because}.` });
    return reply.redirect(`/incidents/${story.incident.id}`, 303);
  });

  function storyOf(request: FastifyRequest): Promise<IncidentStory | null> {
    const { id } = IdInAddress.parse(request.params);
    return id === null ? Promise.resolve(null) : readIncidentStory(parts, id, times.now());
  }

  async function pageOf(request: FastifyRequest, story: IncidentStory, pressed: Pressed) {
    const { projectId, id } = story.incident;
    const isResponder = mayAct(request);
    const form = isResponder ? { token: forms.token(request), asksName: asksName(request) } : null;
    const room = await stores.rooms.ofIncident(projectId, id, wall.now());
    const mayOpenRoom = isResponder && request.visitor?.scope == null;
    return incidentPage(addressOf(`/incidents/${id}`), { story, room, form, mayOpenRoom, ...pressed }, times);
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    story: IncidentStory,
    pressed: Partial<Pressed>,
  ) {
    return frames.sendPage(request, reply, () => pageOf(request, story, { ...NOTHING_PRESSED, ...pressed }));
  }

  function gone(request: FastifyRequest, reply: FastifyReply) {
    return frames.sendProblem(
      request,
      reply,
      404,
      "There is no such incident",
      "Its month may have been dropped.",
    );
  }
}

const Length = Form.extend({
  length: z.enum(ROOM_LENGTHS.map((ms) => formatDuration(ms))).default("1d"),
});
