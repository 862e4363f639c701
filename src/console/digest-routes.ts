import type { FastifyInstance } from "fastify";
import { EMAIL_POLICY } from "./auth/set-security-headers.ts";
import { type createFrames, openLinksOutside, route } from "./frames.ts";
import { type DigestsParts, DigestsQuestion, digestsPage, readDigests } from "./pages/digests.ts";

/** What is sent at fixed times: the digests, and their editions as readers got them. */
export function digestRoutes(
  app: FastifyInstance,
  parts: DigestsParts,
  frames: ReturnType<typeof createFrames>,
): void {
  route(app, "/digests", frames, {
    isShared: () => true,
    page: (request) => digestsPage(parts, DigestsQuestion.parse(request.query)),
    parts: () => ({}),
    json: () => readDigests(parts),
  });

  app.get("/digests/html", async (request, reply) => {
    const { name, date } = DigestsQuestion.parse(request.query);
    const edition = await parts.previews.ofEdition(name, date);
    if (edition === null)
      return frames.sendProblem(request, reply, 404, "There is nothing here", "There is no such edition.");
    return reply
      .header("content-security-policy", EMAIL_POLICY)
      .type("text/html; charset=utf-8")
      .send(openLinksOutside(edition.email.shown));
  });
}
