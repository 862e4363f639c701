import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Actor, Previews } from "#monitor";
import { whyNot } from "./auth/access.ts";
import type { Forms } from "./auth/forms.ts";
import { EMAIL_POLICY } from "./auth/set-security-headers.ts";
import type { ConsoleSettings } from "./common/settings.ts";
import type { TemplateView } from "./common/template-view.ts";
import type { Times } from "./common/times.ts";
import { type createFrames, openLinksOutside, route } from "./frames.ts";
import {
  editTemplatePage,
  savedTemplatePage,
  type TriedText,
  templatesPage,
  triedAnswer,
} from "./pages/templates.ts";
import type { WhyReadOnly } from "./pages/try-rule.ts";

/** A template in a form, twice as large as its text. */
const MOST_BYTES = 200_000;
/** Mails of tries, which a frame asks for a moment later. */
const MOST_MAILS = 20;

/** Pages of templates: reading, trying, and saving where that is allowed. */
export function templateRoutes(
  app: FastifyInstance,
  parts: {
    readonly templates: TemplateView;
    readonly samples: Previews["samples"];
    readonly times: Times;
    readonly forms: Forms;
    readonly settings: Pick<ConsoleSettings, "editTemplates">;
  },
  frames: ReturnType<typeof createFrames>,
): void {
  const { templates, times, forms, samples } = parts;
  const ownForm = { preHandler: [...forms.check], bodyLimit: MOST_BYTES };
  const mails = new Map<string, string>();

  route(app, "/templates", frames, {
    page: async () => templatesPage(await templates.list()),
    parts: () => ({}),
    json: () => templates.list(),
  });

  app.get("/templates/edit", async (request, reply) => {
    const { name, sample } = Asked.parse(request.query);
    return show(request, reply, name, ({ version, text }) => ({ text, opened: version, sample }));
  });

  app.get("/templates/html", async (request, reply) => {
    const { id } = z.object({ id: z.string().catch("") }).parse(request.query);
    const mail = mails.get(id);
    if (mail === undefined)
      return frames.sendProblem(request, reply, 404, "There is nothing here", "Try the template again.");
    return reply
      .header("content-security-policy", EMAIL_POLICY)
      .type("text/html; charset=utf-8")
      .send(openLinksOutside(mail));
  });

  app.post("/templates/try", ownForm, async (request, reply) => {
    const { name, text, opened, sample } = Posted.parse(request.body ?? {});
    if (request.headers["hx-request"] !== "true")
      return show(request, reply, name, () => ({ text, opened, sample }));
    if ((await templates.find(name)) === null)
      return frames.sendProblem(request, reply, 404, "There is nothing here", "There is no such template.");
    return frames.sendHtml(reply, triedAnswer(await attempt(name, text, sample)));
  });

  app.post("/templates/save", ownForm, (request, reply) => save(request, reply, false));
  app.post("/templates/shipped", ownForm, (request, reply) => save(request, reply, true));

  async function save(request: FastifyRequest, reply: FastifyReply, isShipped: boolean) {
    const { name, text, opened, sample } = Posted.parse(request.body ?? {});
    const refuse = (status: number, because: string, details: readonly string[] = []) => {
      reply.code(status);
      return show(request, reply, name, () => ({ text, opened, sample }), { because, details });
    };
    const readOnly = whyReadOnly(request);
    if (readOnly !== null) return refuse(403, readOnly);
    const actor: Actor = { via: "page", login: request.visitor?.user?.name ?? null, typed: null };
    request.noted = { actor, target: name };
    const saved = await templates.save({ name, text: isShipped ? null : text, opened, actor }, times.now());
    if (saved.outcome === "Refused") return refuse(409, saved.because, saved.details);
    return frames.sendPage(request, reply, async () => savedTemplatePage(name, saved.next, isShipped));
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    contentOf: (template: NonNullable<Awaited<ReturnType<TemplateView["find"]>>>) => {
      readonly text: string;
      readonly opened: string | null;
      readonly sample: string | null;
    },
    refused?: { readonly because: string; readonly details: readonly string[] },
  ): Promise<FastifyReply> {
    return frames.sendPage(request, reply, async () => {
      const template = await templates.find(name);
      if (template === null) return null;
      const content = contentOf(template);
      return editTemplatePage(
        { template, ...content },
        {
          ...{ token: forms.token(request), times, samples, readOnly: whyReadOnly(request) },
          // Faults are known already: they are not looked for again.
          outcome:
            refused !== undefined && refused.details.length > 0
              ? { tried: { faults: refused.details }, mailAddress: "" }
              : await attempt(name, content.text, content.sample),
          ...(refused !== undefined && { refused: refused.because }),
        },
      );
    });
  }

  /** The mail of a try waits for its frame under a name that nobody can guess. */
  async function attempt(name: string, text: string, sample: string | null): Promise<TriedText> {
    const tried = await templates.attempt({ name, text, sample });
    const id = randomUUID();
    if (tried !== "Busy" && "message" in tried) {
      mails.set(id, tried.message.email.shown);
      const [oldest] = mails.keys();
      if (mails.size > MOST_MAILS && oldest !== undefined) mails.delete(oldest);
    }
    return { tried, mailAddress: `/templates/html?id=${id}` };
  }

  function whyReadOnly({ visitor }: FastifyRequest): WhyReadOnly {
    if (parts.settings.editTemplates !== true) return "web.editTemplates in earshot.yaml does not allow it";
    return templates.readOnly ?? whyNot(visitor, "editor");
  }
}

const name = z.string().max(200).catch("");
const sample = z.string().max(100).nullable().catch(null);

const Asked = z.object({ name, sample });

const Posted = z.object({
  ...{ name, sample },
  /** Longer than a template may be: it is shown again, with that fault. */
  text: z
    .string()
    .catch("")
    .transform((all) => all.slice(0, 100_000).replaceAll(/\r\n?/g, "\n")),
  opened: z
    .string()
    .max(64)
    .catch("")
    .transform((version) => (version === "" ? null : version)),
});
