import type { FastifyInstance } from "fastify";
import { EMAIL_POLICY } from "./door/set-security-headers.ts";
import type { createFrames } from "./frames.ts";
import { openLinksOutside } from "./open-links-outside.ts";
import { PreviewQuestion, previewPage, readPreview } from "./pages/preview.ts";
import type { PreviewView } from "./preview-view.ts";
import { route } from "./route.ts";

export function previewRoutes(
  app: FastifyInstance,
  previews: PreviewView,
  frames: ReturnType<typeof createFrames>,
): void {
  route(app, "/preview", frames, {
    page: async (request) => {
      const question = PreviewQuestion.parse(request.query);
      const message = await readPreview(previews, question);
      return message === null ? null : previewPage(previews, message, question);
    },
    parts: () => ({}),
    json: (request) => readPreview(previews, PreviewQuestion.parse(request.query)),
  });

  app.get("/preview/html", async (request, reply) => {
    const message = await readPreview(previews, PreviewQuestion.parse(request.query));
    if (message === null) {
      return frames.sendProblem(request, reply, 404, "There is nothing here", "There is no such message.");
    }
    return reply
      .header("content-security-policy", EMAIL_POLICY)
      .type("text/html; charset=utf-8")
      .send(openLinksOutside(message.email.shown));
  });
}
