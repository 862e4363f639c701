import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type Actor, type ConsoleFacts, type Incident, type Stores, writeNote } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { formatDuration, parseDuration } from "../lib/duration.ts";
import { counted } from "../lib/numbers.ts";
import { asksName, mayAct } from "./auth/access.ts";
import { actorOf } from "./auth/audit.ts";
import type { Forms } from "./auth/forms.ts";
import type { Times } from "./common/times.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import {
  Form,
  MOST_BYTES,
  noteIncident,
  Statement,
  sendNoIncident,
  storyOf,
  Text,
} from "./incident-requests.ts";
import { incidentPage, incidentPart, NO_PRESS_RESULT, type PressResult } from "./pages/incident.ts";
import {
  endRoom,
  type IncidentStory,
  openRoom,
  ROOM_LENGTHS,
  type WorkResult,
} from "./parts/incident-work.ts";

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
  const ownForm = { preHandler: [...forms.check], bodyLimit: MOST_BYTES };
  const read = (request: FastifyRequest) => storyOf(request, parts, times.now());

  route(app, "/incidents/:id", frames, {
    page: async (request) => {
      const story = await read(request);
      return story === null ? null : pageOf(request, story, NO_PRESS_RESULT);
    },
    parts: (request) => ({
      story: async () => {
        const story = await read(request);
        return story === null ? null : incidentPart(story, times);
      },
    }),
    json: read,
  });

  onForm("statement", Statement, {
    invalid: "A statement needs words, of at most 4,000 letters.",
    refused: "Nothing was published",
    noted: ({ text }) => counted(text.length, "letter"),
    typed: ({ status, text }) => ({ status, text }),
    act: ({ status, text, seen }, incident, by) => {
      const statement = { kind: "statement" as const, status: status === "" ? null : status, text, seen };
      return stores.transaction((facts) => writeNote(facts, incident, statement, by, times.now()));
    },
  });

  onForm("comment", Text, {
    invalid: "A comment needs words, of at most 4,000 letters.",
    refused: "Nothing was written",
    noted: ({ text }) => counted(text.length, "letter"),
    act: ({ text }, incident, by) =>
      stores.transaction((facts) =>
        writeNote(facts, incident, { kind: "comment", status: null, text }, by, times.now()),
      ),
  });

  onForm("room", Length, {
    invalid: "A link works for 7 days at most.",
    refused: "No link was made",
    noted: ({ length }) => `for ${length}`,
    act: ({ length }, incident, by) =>
      openRoom({ stores, by, now: wall.now() }, incident, parseDuration(length) ?? 0),
    answer: ({ path, until }, request, reply, story) => {
      const base = publicUrl?.replace(/\/$/, "") ?? `${request.protocol}://${request.host}`;
      return show(request, reply, story, { made: { link: `${base}${path}`, until } });
    },
  });

  onForm("room/end", Form, {
    invalid: "Reload the page, and press again.",
    refused: "Nothing was ended",
    noted: () => "",
    act: (_, incident, by) => endRoom({ stores, by, now: wall.now() }, incident),
  });

  /** A form on the page of an incident. What is refused shows the page again, as it is then. */
  function onForm<Fields extends z.output<typeof Form>, Done extends object>(
    path: string,
    schema: z.ZodType<Fields>,
    { invalid, refused, noted, typed, act, answer }: FormOfIncident<Fields, Done>,
  ): void {
    app.post(`/incidents/:id/${path}`, ownForm, async (request, reply) => {
      const [story, form] = [await read(request), schema.safeParse(request.body)];
      if (story === null) return sendNoIncident(request, reply, frames);
      if (!form.success) return show(request, reply.code(400), story, { fault: invalid });
      const { incident } = story;
      const actor = actorOf(request, form.data.by);
      noteIncident(request, incident, actor, noted(form.data));
      const result = await act(form.data, incident, actor);
      if (result.outcome === "Refused")
        return show(request, reply.code(409), (await read(request)) ?? story, {
          fault: `${refused}: ${result.because}.`,
          typed: typed?.(form.data) ?? null,
        });
      return answer?.(result, request, reply, story) ?? reply.redirect(`/incidents/${incident.id}`, 303);
    });
  }

  async function pageOf(request: FastifyRequest, story: IncidentStory, pressed: PressResult) {
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
    pressed: Partial<PressResult>,
  ) {
    return frames.sendPage(request, reply, () => pageOf(request, story, { ...NO_PRESS_RESULT, ...pressed }));
  }
}

/** What differs between the forms of an incident. */
interface FormOfIncident<Fields, Done extends object> {
  /** Said of fields that cannot be read. */
  readonly invalid: string;
  /** What did not happen; the reason follows. */
  readonly refused: string;
  /** For the audit log: no words of a text. */
  readonly noted: (fields: Fields) => string;
  /** What nobody should have to type again. */
  readonly typed?: (fields: Fields) => PressResult["typed"];
  readonly act: (fields: Fields, incident: Incident, by: Actor) => Promise<WorkResult<Done>>;
  /** Absent: the page is loaded anew. */
  readonly answer?: (
    done: Done,
    request: FastifyRequest,
    reply: FastifyReply,
    story: IncidentStory,
  ) => Promise<unknown>;
}

const Length = Form.extend({ length: z.enum(ROOM_LENGTHS.map((ms) => formatDuration(ms))).default("1d") });
