import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { LONGEST_LIST_NAME, LONGEST_LIST_NOTE, type Stores } from "#monitor";
import { counted } from "../lib/numbers.ts";
import { storableText } from "../lib/text.ts";
import { uuid7 } from "../lib/uuid7.ts";
import { asksName, mayAct } from "./auth/access.ts";
import { actorOf } from "./auth/audit.ts";
import type { Forms } from "./auth/forms.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import { listsPage } from "./pages/lists.ts";
import type { ListForm } from "./parts/author-lists.ts";
import type { WorkParts } from "./work-routes.ts";

type Frames = ReturnType<typeof createFrames>;

/** Authors whom people know, on lists with notes. */
export function listRoutes(app: FastifyInstance, parts: WorkParts, frames: Frames): void {
  const { stores, forms, times } = parts;
  const ownForm = { preHandler: [...forms.check] };

  route(app, "/lists", frames, {
    page: (request) => page(request),
    parts: () => ({}),
    json: () => stores.authorLists.all(),
  });

  app.post("/lists", ownForm, async (request, reply) => {
    const form = Posted.safeParse(request.body ?? {});
    if (!form.success)
      return frames.sendPage(request, reply.code(400), () =>
        page(
          request,
          `An entry needs an author, a list of at most ${LONGEST_LIST_NAME} letters, and a note of at most ${LONGEST_LIST_NOTE}.`,
        ),
      );
    const { by, back, ...entry } = form.data;
    const now = times.now();
    const actor = actorOf(request, by);
    const id = await stores.authorLists.put({ ...entry, id: uuid7(now), actor, at: now });
    // No names, and no words of the note: a request to forget somebody changes lists, and never the audit log.
    request.noted = { actor, target: id ?? "", detail: `note of ${counted(entry.note.length, "letter")}` };
    if (id === null)
      return frames.sendPage(request, reply.code(409), () =>
        page(request, "The lists are full: take some authors off first."),
      );
    return reply.redirect(back, 303);
  });

  app.post("/lists/end", ownForm, async (request, reply) => {
    const form = Ended.safeParse(request.body ?? {});
    if (form.success) {
      request.noted = { target: form.data.id };
      await stores.authorLists.end(form.data.id);
    }
    return reply.redirect("/lists", 303);
  });

  async function page(request: FastifyRequest, fault: string | null = null) {
    const { author } = Asked.parse(request.query);
    const authors = await stores.authorLists.all();
    return listsPage({ authors, form: await listFormOf(request, parts), author, fault }, times);
  }
}

/** What a reader needs to change lists; null for one who may not. */
export async function listFormOf(
  request: FastifyRequest,
  {
    stores,
    forms,
    hasActions,
  }: { readonly stores: Stores; readonly forms: Forms; readonly hasActions: boolean },
): Promise<ListForm | null> {
  if (!hasActions || !mayAct(request)) return null;
  const names = await stores.authorLists.names();
  return { token: forms.token(request), asksName: asksName(request), names, back: addressOf(request.url) };
}

const line = (longest: number) =>
  z
    .string()
    .transform((text) =>
      storableText(text)
        .replaceAll(/[\p{Cc}\s]+/gu, " ")
        .trim(),
    )
    .pipe(z.string().max(longest));
const orNone = line(200)
  .transform((text) => (text === "" ? null : text))
  .default(null);
const Asked = z.object({ author: orNone.catch(null) });
const Posted = z.object({
  author: line(200)
    .transform((text) => text.replace(/^@+/, ""))
    .pipe(z.string().min(1)),
  name: orNone,
  site: orNone,
  list: line(LONGEST_LIST_NAME).pipe(z.string().min(1)),
  note: line(LONGEST_LIST_NOTE).default(""),
  by: line(80).catch(""),
  back: z
    .string()
    .max(4_000)
    .regex(/^\/(?:lists|why|insights\/speakers)(?:\?[\x21-\x7E]*)?$/)
    .catch("/lists"),
});
const Ended = z.object({ id: z.guid() });
