import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { mayAct } from "./auth/access.ts";
import type { Forms } from "./auth/forms.ts";
import { addressOf, type createFrames, route, wantsJson } from "./frames.ts";
import { type HealthParts, healthPage, healthParts, readCoverageFacts } from "./pages/health.ts";

/** Whether everything is received: of the account, and of public feeds. */
export function healthPageRoutes(
  app: FastifyInstance,
  parts: HealthParts & { readonly forms: Forms; readonly hasActions: boolean },
  frames: ReturnType<typeof createFrames>,
): void {
  const { feeds, forms, hasActions } = parts;
  const tokenFor = (request: FastifyRequest) =>
    feeds !== null && hasActions && mayAct(request) ? forms.token(request) : null;
  route(app, "/health", frames, {
    // The list of feeds has a form for each reader who may try them.
    isShared: (request, part) => part === "line" || part === "operators" || tokenFor(request) === null,
    page: (request) => healthPage(addressOf(request.url), parts, tokenFor(request)),
    parts: (request) => healthParts(parts, tokenFor(request)),
  });

  // Programs ask for the facts of each; bookmarks lead to where they are now.
  const part = (path: string, at: string, facts: () => Promise<unknown>) => {
    const answer = async (request: FastifyRequest, reply: FastifyReply) =>
      wantsJson(request) ? reply.send(await facts()) : reply.redirect(at, 301);
    app.get(path, answer);
    app.get(`${path}.json`, answer);
  };
  part("/coverage", "/health", () => readCoverageFacts(parts));
  if (feeds !== null) part("/feeds", "/health#feeds", () => feeds.list());
}
