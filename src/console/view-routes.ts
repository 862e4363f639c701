import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { nameKey, readMailedView, type Stores } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { TimeZone } from "../lib/local-time.ts";
import { storableText } from "../lib/text.ts";
import { uuid7 } from "../lib/uuid7.ts";
import type { Forms } from "./auth/forms.ts";
import type { Times } from "./common/times.ts";
import type { createFrames } from "./frames.ts";
import { type MailOfReader, viewsPage } from "./pages/views.ts";

/** Pages whose address holds all that they show. */
const PAGES = ["/mentions", "/insights", "/insights/speakers", "/insights/stories", "/insights/response"];

/** Of a search of 1,000 letters: one that is not of the Latin alphabet has nine there. */
const LONGEST_ADDRESS = 10_000;
/** A form writes each sign of it with three. */
const MOST_BYTES = 40_000;

/** Such a page with its parameters. */
const Address = z
  .string()
  .max(LONGEST_ADDRESS)
  .refine((address) => PAGES.some((page) => address.startsWith(`${page}?`)))
  .refine((address) => /^[\x21-\x7E]+$/.test(address));
const Asked = z.object({ save: Address.nullable().default(null).catch(null) });
const Posted = z.object({
  title: z.string().transform(storableText).pipe(z.string().trim().min(1).max(80)),
  address: Address,
  shared: z.literal("yes").nullable().catch(null),
});
const Ended = z.object({ id: z.guid() });
const Mailed = Ended.extend({ timezone: TimeZone });

/** Searches that people save, and come back to. */
export function viewRoutes(
  app: FastifyInstance,
  parts: {
    readonly stores: Stores;
    readonly forms: Forms;
    readonly times: Times;
    readonly wall: Clock;
    /** Whether anything sends mails to users. */
    readonly hasMail: boolean;
  },
  frames: ReturnType<typeof createFrames>,
): void {
  const { stores, forms, times, wall, hasMail } = parts;
  const ownForm = { preHandler: [...forms.check], bodyLimit: MOST_BYTES };

  app.get("/views", (request, reply) => show(request, reply));

  app.post("/views", ownForm, async (request, reply) => {
    const form = Posted.safeParse(request.body);
    if (!form.success)
      return show(request, reply.code(400), "A search needs a title, of at most 80 letters.");
    const { title, address, shared } = form.data;
    request.noted = { target: title, detail: `${shared === null ? "own" : "shared"}: ${address}` };
    const now = wall.now();
    const isAdded = await stores.views.add({
      id: uuid7(now),
      nameKey: ownerOf(request),
      title,
      address,
      isShared: shared !== null,
      createdAt: now,
    });
    if (!isAdded) return show(request, reply.code(409), "You have too many: delete one first.");
    return reply.redirect("/views", 303);
  });

  app.post("/views/end", ownForm, async (request, reply) => {
    const form = Ended.safeParse(request.body);
    if (form.success) {
      request.noted = { target: form.data.id };
      await stores.views.end(form.data.id, ownerOf(request));
    }
    return reply.redirect("/views", 303);
  });

  app.post("/views/mail", ownForm, async (request, reply) => {
    const form = Mailed.safeParse(request.body);
    if (!form.success)
      return show(
        request,
        reply.code(400),
        "Name a time zone, such as Europe/Berlin: Mondays at 8:00 there.",
      );
    const { id, timezone } = form.data;
    const owner = ownerOf(request);
    request.noted = { target: id, detail: timezone };
    const view = (await stores.views.list(owner)).find((one) => one.id === id);
    if (view === undefined || readMailedView(view.address) === null)
      return show(
        request,
        reply.code(409),
        "That view cannot be sent: it is gone, of fixed days, or of stories with filters.",
      );
    if ((await mailOf(request)).outcome !== "Address")
      return show(request, reply.code(409), "It cannot be sent: there is no mail address of yours here.");
    await stores.views.mail(id, owner, timezone, times.now());
    return reply.redirect("/views", 303);
  });

  app.post("/views/mail/end", ownForm, async (request, reply) => {
    const form = Ended.safeParse(request.body);
    if (form.success) {
      request.noted = { target: form.data.id };
      await stores.views.mailNoMore(form.data.id, ownerOf(request));
    }
    return reply.redirect("/views", 303);
  });

  /** Whether this reader can get mails. */
  async function mailOf({ visitor }: FastifyRequest): Promise<MailOfReader> {
    if (!hasMail) return { outcome: "NoMailServer" };
    const user = visitor?.user == null ? null : await stores.users.find(visitor.user.name);
    const email = user?.email ?? null;
    return email === null ? { outcome: "NoAddress" } : { outcome: "Address", email, timezone: times.zone };
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    fault: string | null = null,
  ): Promise<FastifyReply> {
    const { save } = Asked.parse(request.query);
    return frames.sendPage(request, reply, async () => {
      const owner = ownerOf(request);
      const views = await stores.views.list(owner);
      const mail = await mailOf(request);
      return viewsPage({ views, owner, save, fault, mail }, times, forms.token(request));
    });
  }
}

/** Without a login, everybody at this machine has the same ones. */
function ownerOf({ visitor }: FastifyRequest): string {
  return nameKey(visitor?.user?.name ?? "");
}
