import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { MentionPosition, ShownMention } from "#monitor";
import { monotonicMs } from "../lib/clock.ts";
import { BusyError } from "../lib/errors.ts";
import { MINUTE } from "../lib/instant.ts";
import { MentionsQuestion, type MentionsRequest, searchOf } from "./pages/mentions.ts";
import type { PageParts } from "./parts/page.ts";
import { EXPORTS, type ExportKind, MOST_EXPORTED } from "./search/export-mentions.ts";
import { findMentions } from "./search/find-mentions.ts";
import { nameOf } from "./work-routes.ts";

const BATCH = 500;
const LONGEST_MS = 5 * MINUTE;
/** Of this process: each reads batch after batch from the database, as fast as its reader takes them. */
const AT_ONCE = 2;

/** `/mentions.csv`, `.jsonl` and `.xlsx`: all that the page would show, as a file that is written as it is read. */
export function exportRoutes(app: FastifyInstance, parts: PageParts): void {
  let open = 0;
  for (const kind of Object.keys(EXPORTS) as ExportKind[])
    app.get(`/mentions.${kind}`, { exposeHeadRoute: false }, async (request, reply) => {
      const mentionsRequest = { question: MentionsQuestion.parse(request.query), me: nameOf(request) };
      const { search } = searchOf(mentionsRequest, parts.times.now());
      if (search.kind === "Fault")
        return reply
          .code(400)
          .send({ error: `this is no query that can be read: ${search.because.join(" ")}` });
      if (open >= AT_ONCE)
        return reply
          .code(503)
          .header("retry-after", 30)
          .send({ error: "others download at this moment; try again" });
      open++;
      reply.raw.once("close", () => open--);
      const { type, write } = EXPORTS[kind];
      return reply
        .type(type)
        .header("content-disposition", `attachment; filename="mentions.${kind}"`)
        .send(Readable.from(write(batchesOf(parts, mentionsRequest))));
    });
}

/** The newest ones, up to a number that the page names. */
async function* batchesOf(
  { facts, times }: PageParts,
  request: MentionsRequest,
): AsyncGenerator<readonly ShownMention[]> {
  const { filter, search } = searchOf(request, times.now());
  const began = monotonicMs();
  let after: MentionPosition | null = request.question.after;
  for (let written = 0; written < MOST_EXPORTED; ) {
    // Better a download that fails than a file that looks whole.
    if (monotonicMs() - began > LONGEST_MS)
      throw new BusyError("the download took longer than five minutes; ask for a shorter range");
    const { mentions, next } = await findMentions(facts, filter, search, after, BATCH);
    written += mentions.length;
    yield mentions;
    if (next === null) return;
    after = next;
  }
}
