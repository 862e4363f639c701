import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { ConsoleFacts } from "#monitor";
import { isPublic } from "./auth/access.ts";
import type { Forms } from "./auth/forms.ts";
import { readAddress, withParameter } from "./common/address.ts";
import { SCRIPTS, STYLESHEET } from "./common/assets.ts";
import type { Html } from "./common/html.ts";
import type { Times } from "./common/times.ts";
import { sinceToken, type VersionWatch } from "./live-route.ts";
import { barePage } from "./pages/bare-page.ts";
import { type Frame, layout } from "./pages/layout.ts";
import { problem } from "./pages/problem.ts";
import type { Page } from "./parts/page.ts";
import type { SharedAnswers } from "./share-answers.ts";

interface FrameParts {
  readonly facts: ConsoleFacts;
  readonly times: Times;
  readonly watch: VersionWatch;
  readonly shared: SharedAnswers;
  readonly forms: Forms;
  readonly hasInbox: boolean;
  readonly hasRules: boolean;
  readonly hasDigests: boolean;
  readonly hasActions: boolean;
  readonly pace: string | null;
  readonly whatHappensNext: () => string | null;
}

const ASSETS = { stylesheet: STYLESHEET.address, scripts: SCRIPTS.map((script) => script.address) };

const HTML_TYPE = "text/html; charset=utf-8";

/** Sends pages inside the common layout. */
export function createFrames(parts: FrameParts) {
  const compressed = new WeakMap<Html, Buffer>();
  return {
    async sendPage(
      request: FastifyRequest,
      reply: FastifyReply,
      make: () => Promise<Page | null>,
      { isShared = false }: { readonly isShared?: boolean } = {},
    ): Promise<FastifyReply> {
      const both = async () => ({ facts: await factsOf(request), page: await make() });
      const { facts, page } = await (isShared ? parts.shared.of(`page ${request.url}`, both) : both());
      if (page === null) {
        return sendProblem(
          request,
          reply,
          404,
          "There is nothing here",
          "It may have been removed with its month.",
        );
      }
      return sendHtml(reply, layout(page, { ...currentFrame(request), ...facts }));
    },
    share,
    /** A part that is the same for every reader of an address is compressed once for all of them. */
    async sendShared(
      request: FastifyRequest,
      reply: FastifyReply,
      make: () => Promise<Html | null>,
    ): Promise<FastifyReply | null> {
      const content = await share(request, make);
      if (content === null) return null;
      if (!/\bgzip\b(?!\s*;\s*q=0)/.test(request.headers["accept-encoding"] ?? ""))
        return sendHtml(reply, content);
      const packed = compressed.get(content) ?? gzipSync(content.toString());
      compressed.set(content, packed);
      reply.headers({ "content-encoding": "gzip", vary: "accept-encoding" });
      return reply.type(HTML_TYPE).send(packed);
    },
    sendHtml,
    sendProblem,
  };

  /** What is the same for every reader of an address. */
  function share<Part>(request: FastifyRequest, make: () => Promise<Part>): Promise<Part> {
    return parts.shared.of(`part ${request.url}`, make);
  }

  /** Read before the page is made: a change in between is sent again, never missed. The same for every reader. */
  function factsOf(request: FastifyRequest) {
    const paused = readAddress(request.url).parameters.get("live") === "off";
    return parts.shared.of(paused ? "paused" : "live", async () => {
      const [versions, openAlerts] = await Promise.all([
        paused ? null : parts.watch.current(),
        parts.facts.countOpenAlerts(),
      ]);
      return { since: versions === null ? null : sinceToken(versions), openAlerts };
    });
  }

  /** The layout without facts, so that it also works for the page that says why there are none. */
  function currentFrame(request: FastifyRequest): Frame {
    return {
      address: request.url,
      clock: parts.times.clock(parts.times.now()),
      pace: parts.pace,
      banner: parts.whatHappensNext(),
      since: null,
      openAlerts: 0,
      hasInbox: parts.hasInbox,
      hasRules: parts.hasRules,
      hasDigests: parts.hasDigests,
      hasActions: parts.hasActions,
      user: request.visitor?.user?.name ?? null,
      logoutToken: request.visitor?.session ? parts.forms.token(request) : null,
      assets: ASSETS,
    };
  }

  function sendHtml(reply: FastifyReply, markup: Html): FastifyReply {
    return reply.type(HTML_TYPE).send(markup.toString());
  }

  async function sendProblem(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    headline: string,
    advice: string,
  ): Promise<FastifyReply> {
    reply.code(status);
    if (!(request.headers.accept ?? "").includes("text/html")) return reply.send({ error: headline });
    // Whoever opens a link for strangers may have nothing else here.
    const body = problem(headline, advice, !isPublic(request));
    // A stranger on a public page must not see the layout of the other pages.
    if (request.visitor === null) return sendHtml(reply, barePage(headline, body));
    const page: Page = { title: headline, section: null, body };
    return sendHtml(reply, layout(page, currentFrame(request)));
  }
}

type Frames = ReturnType<typeof createFrames>;

/** A page, its parts that can be requested alone (`?part=`), and the same facts as JSON. */
interface Answers {
  /** No token, no name and no right of the reader is in it: a crowd may share it. `part`: null for the whole page. */
  readonly isShared?: (request: FastifyRequest, part: string | null) => boolean;
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
    const isShared = answers.isShared?.(request, part) ?? false;
    if (part === null) return frames.sendPage(request, reply, () => answers.page(request), { isShared });
    const make = Object.entries(answers.parts(request)).find(([name]) => name === part)?.[1];
    const nothing = () =>
      frames.sendProblem(request, reply, 404, "There is nothing here", "That page has no such part.");
    if (make === undefined) return nothing();
    if (isShared) return (await frames.sendShared(request, reply, make)) ?? nothing();
    const content = await make();
    return content === null ? nothing() : frames.sendHtml(reply, content);
  };
  app.get(path, answer);
  if (answers.json !== undefined && !path.endsWith("/:id")) {
    app.get(path === "/" ? "/overview.json" : `${path}.json`, answer);
  }
}

export function wantsJson(request: FastifyRequest): boolean {
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
