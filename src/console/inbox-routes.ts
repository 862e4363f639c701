import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { mayAct } from "./auth/access.ts";
import type { Forms } from "./auth/forms.ts";
import { EMAIL_POLICY } from "./auth/set-security-headers.ts";
import type { Times } from "./common/times.ts";
import { addressOf, type createFrames, openLinksOutside, route } from "./frames.ts";
import type { EmailMessage, InboxView } from "./inbox/inbox-view.ts";
import { InboxQuestion, inboxPage, inboxPlaces, PRESS_PATH } from "./pages/inbox.ts";

const FileId = z.object({ id: z.string().max(50).catch("") });
const short = z.string().max(300);
const PressForm = z.object({
  message: short,
  block: short,
  action: short,
  option: short.optional(),
  user: short.optional(),
});
const EmailId = z.object({ id: z.string().max(500).catch("") });

export function inboxRoutes(
  app: FastifyInstance,
  parts: { readonly inbox: InboxView; readonly times: Times; readonly forms: Forms },
  frames: ReturnType<typeof createFrames>,
): void {
  const { inbox, times, forms } = parts;
  const shown = (request: FastifyRequest) => ({
    inbox,
    times,
    token: inbox.press === undefined || !mayAct(request) ? null : forms.token(request),
  });
  route(app, "/inbox", frames, {
    page: (request) => inboxPage(addressOf(request.url), shown(request), InboxQuestion.parse(request.query)),
    parts: (request) => ({ places: () => inboxPlaces(shown(request), InboxQuestion.parse(request.query)) }),
  });

  /** A click on a message goes to the local Slack, which posts it to Earshot as Slack does. */
  app.post(PRESS_PATH, { preHandler: [...forms.check] }, async (request, reply) => {
    const refuse = (status: number, headline: string) =>
      frames.sendProblem(request, reply, status, headline, "Go back to the inbox and try again.");
    const form = PressForm.safeParse(request.body);
    if (!form.success || inbox.press === undefined) return refuse(400, "That is not a button");
    const { message: messageId, block: blockId, action: actionId, option, user: userId } = form.data;
    const clicked = await inbox.press({ messageId, blockId, actionId, option, userId });
    if (clicked.outcome === "Refused") return refuse(409, `Nothing was done: ${clicked.because}`);
    const [channel = ""] = messageId.split(":");
    return reply.redirect(`/inbox?${new URLSearchParams({ place: `slack:${channel}` })}`, 303);
  });

  /** The HTML part of a sent email, for a frame; its own policy allows its styles and nothing active. */
  app.get("/inbox/email/:id/html", async (request, reply) => {
    const { id } = EmailId.parse(request.params);
    const message = await parts.inbox.find(id);
    if (message?.kind !== "email" || message.html === null) {
      return frames.sendProblem(request, reply, 404, "There is nothing here", "There is no such email.");
    }
    return reply
      .header("content-security-policy", EMAIL_POLICY)
      .type("text/html; charset=utf-8")
      .send(openLinksOutside(await withPictures(message.html, message.pictures ?? [], inbox.findFile)));
  });

  /** A picture of a message. Any other content is refused, whatever type it claims. */
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

/** Embeds a mail's pictures in its HTML, because the frame that shows it may load nothing. */
async function withPictures(
  html: string,
  pictures: NonNullable<EmailMessage["pictures"]>,
  findFile: InboxView["findFile"],
): Promise<string> {
  const addresses = new Map<string, string>();
  for (const { cid, file } of pictures) {
    const found = await findFile(file);
    if (found?.type !== "image/png") continue;
    addresses.set(cid, `data:image/png;base64,${Buffer.from(found.bytes).toString("base64")}`);
  }
  // Only in picture attributes; in text, the reference stays text.
  return html.replaceAll(/(\ssrc=")cid:([^"]{1,256})"/g, (whole, before: string, cid: string) => {
    const address = addresses.get(cid);
    return address === undefined ? whole : `${before}${address}"`;
  });
}
