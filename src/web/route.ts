import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { withParameter } from "./address.ts";
import type { createFrames } from "./frames.ts";
import type { Html } from "./html.ts";
import type { Page } from "./pages/page.ts";

type Frames = ReturnType<typeof createFrames>;

/** A page, its parts that can be requested alone (`?part=`), and the same facts as JSON. */
interface Answers {
  readonly page: (request: FastifyRequest) => Promise<Page | null>;
  readonly parts: (request: FastifyRequest) => Readonly<Record<string, () => Promise<Html | null>>>;
  readonly json?: (request: FastifyRequest) => Promise<unknown>;
}

export function route(app: FastifyInstance, path: string, frames: Frames, answers: Answers): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (answers.json !== undefined && wantsJson(request)) {
      const facts = await answers.json(request);
      return facts === null ? reply.code(404).send({ error: "there is nothing here" }) : reply.send(facts);
    }
    const { part } = z.object({ part: z.string().nullable().catch(null) }).parse(request.query);
    if (part === null) return frames.sendPage(request, reply, () => answers.page(request));
    const make = Object.entries(answers.parts(request)).find(([name]) => name === part)?.[1];
    const content = (await make?.()) ?? null;
    if (content === null) {
      return frames.sendProblem(request, reply, 404, "There is nothing here", "That page has no such part.");
    }
    return frames.sendHtml(reply, content);
  };
  app.get(path, answer);
  if (answers.json !== undefined && !path.endsWith("/:id")) {
    app.get(path === "/" ? "/overview.json" : `${path}.json`, answer);
  }
}

function wantsJson(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? "";
  const [path = ""] = request.url.split("?", 1);
  return path.endsWith(".json") || (accept.includes("application/json") && !accept.includes("text/html"));
}

/** The page's address for links to itself, without the requested part. */
export function addressOf(url: string): string {
  return withParameter(url, "part", null);
}

/** Makes links open in a new window, as mail programs do; the frame's policy forbids opening them inside. */
export function openLinksOutside(html: string): string {
  return html.replace(/<head(\s[^>]*)?>/i, (head) => `${head}<base target="_blank">`);
}
