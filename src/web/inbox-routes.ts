import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { EMAIL_POLICY } from "./door/set-security-headers.ts";
import type { createFrames } from "./frames.ts";
import type { InboxView } from "./inbox-view.ts";
import { openLinksOutside } from "./open-links-outside.ts";
import { InboxQuestion, inboxPage, inboxPlaces } from "./pages/inbox.ts";
import { addressOf, route } from "./route.ts";
import type { Times } from "./times.ts";

const FileId = z.object({ id: z.string().max(50) });
const EmailId = z.object({ id: z.string().max(500) });

export function inboxRoutes(
  app: FastifyInstance,
  parts: { readonly inbox: InboxView; readonly times: Times },
  frames: ReturnType<typeof createFrames>,
): void {
  route(app, "/inbox", frames, {
    page: (request) => inboxPage(addressOf(request.url), parts, InboxQuestion.parse(request.query)),
    parts: (request) => ({ places: () => inboxPlaces(parts, InboxQuestion.parse(request.query)) }),
  });

  /** The HTML part of an email as it was sent, for a frame: its own policy lets it look right and do nothing. */
  app.get("/inbox/email/:id/html", async (request, reply) => {
    const { id } = EmailId.parse(request.params);
    const message = await parts.inbox.find(id);
    if (message?.kind !== "email" || message.html === null) {
      return frames.sendProblem(request, reply, 404, "There is nothing here", "There is no such email.");
    }
    return reply
      .header("content-security-policy", EMAIL_POLICY)
      .type("text/html; charset=utf-8")
      .send(openLinksOutside(message.html));
  });

  /** A picture of a message. Anything else is not shown, whatever it calls itself. */
  app.get("/inbox/files/:id", async (request, reply) => {
    const { id } = FileId.parse(request.params);
    const file = await parts.inbox.findFile(id);
    if (file?.type !== "image/png") {
      return frames.sendProblem(request, reply, 404, "There is nothing here", "There is no such picture.");
    }
    return reply
      .type("image/png")
      .header("cache-control", "private, max-age=86400")
      .send(Buffer.from(file.bytes));
  });
}
