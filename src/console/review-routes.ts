import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formatTime, type Stores, writeNote } from "#monitor";
import { BusyError } from "../lib/errors.ts";
import { counted } from "../lib/numbers.ts";
import { createWorkerPool } from "../lib/worker-pool.ts";
import { asksName, mayAct } from "./auth/access.ts";
import { actorOf } from "./auth/audit.ts";
import type { Forms } from "./auth/forms.ts";
import type { Times } from "./common/times.ts";
import type { createFrames } from "./frames.ts";
import { MOST_BYTES, noteIncident, sendNoIncident, storyOf, Text } from "./incident-requests.ts";
import { NO_PRESS_RESULT, type PressResult } from "./pages/incident.ts";
import { reviewPage } from "./pages/review.ts";
import type { IncidentStory, IncidentWork } from "./parts/incident-work.ts";
import type { PdfTasks } from "./review/pdf-thread.ts";
import { readReview } from "./review/review.ts";

/** Two documents at a time, and few that wait: each takes a part of a second. */
const LIMITS = { threads: 1, waiting: 8, memoryMb: 256 };

/** The review of an incident as a page and as a document. Returns what ends its thread. */
export function reviewRoutes(
  app: FastifyInstance,
  parts: IncidentWork & { readonly stores: Stores; readonly forms: Forms; readonly times: Times },
  frames: ReturnType<typeof createFrames>,
): () => Promise<void> {
  const { stores, forms, times } = parts;
  const pool = createWorkerPool<PdfTasks>("src/console/review/pdf-thread", LIMITS);
  const ownForm = { preHandler: [...forms.check], bodyLimit: MOST_BYTES };
  const read = (request: FastifyRequest) => storyOf(request, parts, times.now());

  app.get("/incidents/:id/review", async (request, reply) => {
    const story = await read(request);
    return story === null
      ? sendNoIncident(request, reply, frames)
      : show(request, reply, story, NO_PRESS_RESULT);
  });

  app.get("/incidents/:id/review.pdf", async (request, reply) => {
    const story = await read(request);
    if (story === null) return sendNoIncident(request, reply, frames);
    const review = await readReview(parts, story, times.zone);
    const made = `Counted from the mentions at ${formatTime(times.now(), times.zone)}`;
    const written = await pool.run("writePdf", { review, made }, { processorMs: 20_000 });
    if (written.outcome === "Failed") throw new Error(`a review could not be written: ${written.message}`);
    if (written.outcome !== "Done") throw new BusyError("a review took too long, or too many are written");
    return reply
      .type("application/pdf")
      .header("content-disposition", `attachment; filename="incident-${story.incident.id.slice(0, 8)}.pdf"`)
      .send(Buffer.from(written.result));
  });

  app.post("/incidents/:id/review", ownForm, async (request, reply) => {
    const [story, form] = [await read(request), Text.safeParse(request.body)];
    if (story === null) return sendNoIncident(request, reply, frames);
    if (!form.success)
      return show(request, reply.code(400), story, {
        ...NO_PRESS_RESULT,
        fault: "Write at most 4,000 letters.",
      });
    const { by, text, seen } = form.data;
    const actor = actorOf(request, by);
    noteIncident(request, story.incident, actor, counted(text.length, "letter"));
    const lesson = { kind: "lesson", status: null, text, seen } as const;
    const done = await stores.transaction((facts) =>
      writeNote(facts, story.incident, lesson, actor, times.now()),
    );
    if (done.outcome === "Done") return reply.redirect(`/incidents/${story.incident.id}/review`, 303);
    const fault = `Nothing was saved: ${done.because}.`;
    return show(request, reply.code(409), (await read(request)) ?? story, {
      ...NO_PRESS_RESULT,
      ...{ fault, typed: { status: "", text } },
    });
  });

  return () => pool.close();

  function show(request: FastifyRequest, reply: FastifyReply, story: IncidentStory, pressed: PressResult) {
    return frames.sendPage(request, reply, async () => {
      const review = await readReview(parts, story, times.zone);
      const form = mayAct(request) ? { token: forms.token(request), asksName: asksName(request) } : null;
      return reviewPage({ story, review, form, ...pressed }, times);
    });
  }
}
