import type { FastifyInstance } from "fastify";
import type { Previews } from "#monitor";
import { EMAIL_POLICY } from "./auth/set-security-headers.ts";
import { type createFrames, openLinksOutside, route } from "./frames.ts";
import { PreviewQuestion, previewPage, readPreview, templatePage } from "./pages/preview.ts";

export function previewRoutes(
  app: FastifyInstance,
  previews: Previews,
  { hasEditor }: { readonly hasEditor: boolean },
  frames: ReturnType<typeof createFrames>,
): void {
  route(app, "/preview", frames, {
    page: async (request) => {
      const question = PreviewQuestion.parse(request.query);
      if (question.template !== null) {
        const made = await previews.ofTemplate(question.template, question);
        return made === null ? null : templatePage(previews, made, question, hasEditor);
      }
      const message = await readPreview(previews, question);
      return message === null ? null : previewPage(previews, message, question);
    },
    parts: () => ({}),
    json: (request) => {
      const question = PreviewQuestion.parse(request.query);
      return question.template === null
        ? readPreview(previews, question)
        : previews.ofTemplate(question.template, question);
    },
  });

  app.get("/preview/html", async (request, reply) => {
    const question = PreviewQuestion.parse(request.query);
    const shown =
      question.template === null
        ? ((await readPreview(previews, question))?.email.shown ?? null)
        : await htmlOf(previews, question.template, question);
    if (shown === null) {
      return frames.sendProblem(request, reply, 404, "There is nothing here", "There is no such message.");
    }
    return reply
      .header("content-security-policy", EMAIL_POLICY)
      .type("text/html; charset=utf-8")
      .send(openLinksOutside(shown));
  });
}

/** Sends non-HTML as plain text, whatever it contains. */
async function htmlOf(
  previews: Previews,
  template: string,
  question: PreviewQuestion,
): Promise<string | null> {
  const made = await previews.ofTemplate(template, question);
  return made?.isHtml === true ? made.text : null;
}
