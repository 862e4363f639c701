import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { FeedView } from "#feeds";
import { reachesRole } from "#monitor";
import { readJson } from "../lib/json.ts";
import { whyNot } from "./auth/access.ts";
import { actorOf } from "./auth/audit.ts";
import type { Forms } from "./auth/forms.ts";
import type { Corrections } from "./common/corrections.ts";
import type { ConsoleSettings } from "./common/settings.ts";
import type { SetupForm, SetupView } from "./common/setup-view.ts";
import type { Times } from "./common/times.ts";
import type { createFrames } from "./frames.ts";
import { triedFeedPage } from "./pages/feeds.ts";
import { setupPage, writtenSetupPage } from "./pages/setup.ts";
import { SENTIMENTS } from "./parts/mention-list.ts";

type Frames = ReturnType<typeof createFrames>;

/** Tries of public feeds, corrections of mentions, and the page that sets up a brand. */
export function feedRoutes(
  app: FastifyInstance,
  parts: {
    readonly feeds: FeedView | null;
    /** Null: nothing is corrected here. */
    readonly corrections: Corrections | null;
    readonly setup: SetupView | null;
    /** Whether people act on this console: then they may try feeds, too. */
    readonly hasActions: boolean;
    readonly times: Times;
    readonly forms: Forms;
    readonly settings: Pick<ConsoleSettings, "editSetup">;
  },
  frames: Frames,
): void {
  const { feeds, setup, times, forms } = parts;
  const ownForm = { preHandler: [...forms.check], bodyLimit: MOST_BYTES };
  if (feeds !== null && parts.hasActions)
    app.post("/feeds/try", ownForm, async (request, reply) => {
      const { key } = z.object({ key: z.string().max(100).catch("") }).parse(request.body ?? {});
      request.noted = { target: key };
      return frames.sendPage(request, reply, async () => {
        const tried = await untilGone(reply, (signal) => feeds.attempt(key, signal));
        return tried === null ? null : triedFeedPage(tried, times);
      });
    });
  if (setup !== null) setupRoutes(setup);
  if (parts.hasActions && parts.corrections !== null) {
    correctRoute(parts.corrections);
    categorizeRoute(parts.corrections);
  }

  /** "This is no complaint": it counts for the mention, and teaches where `enrich.sentiment` is `learned`. */
  function correctRoute(corrections: Corrections): void {
    app.post("/mentions/sentiment", ownForm, async (request, reply) => {
      const form = Correction.safeParse(request.body ?? {});
      if (!form.success)
        return frames.sendProblem(request, reply, 400, "That is no sentiment", "Choose one of three.");
      const { query: queryId, mention: resourceId, sentiment } = form.data;
      request.noted = { target: resourceId, detail: sentiment };
      const which = { queryId, resourceId, sentiment };
      if (await corrections.sentiment(which, actorOf(request), times.now()))
        return reply.redirect(`/why?${new URLSearchParams({ of: resourceId, corrected: sentiment })}`, 303);
      const advice = "It is deleted, or comes from an account: correct it there.";
      return frames.sendProblem(request, reply, 409, "Nothing was changed", advice);
    });
  }

  /** The same for its categories, where `enrich.categories` is `learned`. */
  function categorizeRoute(corrections: Corrections): void {
    app.post("/mentions/categories", ownForm, async (request, reply) => {
      const form = Categories.safeParse(request.body ?? {});
      if (!form.success)
        return frames.sendProblem(
          request,
          reply,
          400,
          "These are no categories",
          "Choose those of the list.",
        );
      const { query: queryId, mention: resourceId, category: ticked, shown } = form.data;
      request.noted = { target: resourceId, detail: ticked.join(", ") };
      const added = ticked.filter((id) => !shown.includes(id));
      const which = { queryId, resourceId, added, removed: shown.filter((id) => !ticked.includes(id)) };
      if (await corrections.categories(which, actorOf(request), times.now()))
        return reply.redirect(
          `/why?${new URLSearchParams({ of: resourceId, corrected: "categories" })}`,
          303,
        );
      const advice =
        "It is deleted, comes from an account, or has one of these categories at most. Correct an account's there.";
      return frames.sendProblem(request, reply, 409, "Nothing was changed", advice);
    });
  }

  function setupRoutes(setup: SetupView): void {
    const shown = (request: FastifyRequest) => ({
      setup,
      times,
      token: forms.token(request),
      readOnly: whyReadOnly(request, setup),
      mayTry: mayTry(request, setup),
    });
    app.get("/setup", async (request, reply) =>
      frames.sendPage(request, reply, async () =>
        setupPage({ ...EMPTY, kinds: setup.kinds.map(({ kind }) => kind) }, shown(request)),
      ),
    );
    app.post("/setup", ownForm, async (request, reply) => {
      const posted = Posted.parse(request.body ?? {});
      const does = Reflect.get(Object(request.body), "do");
      const { senses, meant } = Meant.parse(request.body ?? {});
      const form = does === "senses" ? setup.leaveOut(posted, senses, meant) : posted;
      const tries = does === "try" && mayTry(request, setup);
      const mayWrite = whyReadOnly(request, setup) === null;
      const outcome = await untilGone(reply, (signal) => setup.draft(form, { tries, mayWrite, signal }));
      return frames.sendPage(request, reply, async () => setupPage(form, { ...shown(request), outcome }));
    });
    app.post("/setup/write", ownForm, async (request, reply) => {
      const form = Posted.parse(request.body ?? {});
      const readOnly = whyReadOnly(request, setup);
      const { opened, slackChannel: channel, slackToken: token } = Written.parse(request.body ?? {});
      const slack = channel === "" && token === "" ? null : { channel, token };
      request.noted = { target: "earshot.yaml", detail: form.brand };
      const login = request.visitor?.user?.name ?? null;
      const written =
        readOnly === null
          ? await setup.write(form, { opened, slack, actor: { via: "page", login, typed: null } })
          : ({ outcome: "Refused", because: readOnly, details: [] } as const);
      if (written.outcome === "Written")
        return frames.sendPage(request, reply, async () => writtenSetupPage(written));
      reply.code(readOnly === null ? 409 : 403);
      const { signal } = new AbortController();
      const outcome = await setup.draft(form, { tries: false, mayWrite: readOnly === null, signal });
      return frames.sendPage(request, reply, async () =>
        setupPage(form, { ...shown(request), outcome, refused: written }),
      );
    });
  }

  /** Readers over a network must not make this machine fetch what they like; who sits at it may. */
  function mayTry(request: FastifyRequest, setup: SetupView): boolean {
    return request.visitor?.user === null || whyReadOnly(request, setup) === null;
  }

  /** An admin, where the file allows it. In a demo there is no file yet, and whoever is at its machine may write one. */
  function whyReadOnly({ visitor }: FastifyRequest, { isOpen }: SetupView): string | null {
    if (isOpen && visitor?.user === null && reachesRole(visitor.role, "admin")) return null;
    if (parts.settings.editSetup !== true) return "web.editSetup in earshot.yaml does not allow it";
    return whyNot(visitor, "admin");
  }
}

/** Stops when the reader closes the page. */
async function untilGone<T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const close = () => gone.abort();
  reply.raw.once("close", close);
  try {
    return await work(gone.signal);
  } finally {
    reply.raw.off("close", close);
  }
}

const MOST_BYTES = 50_000;

const text = (most: number) => z.string().max(most).catch("");

const Posted = z.object({
  brand: text(100),
  spellings: text(2_000),
  not: text(2_000),
  about: text(500),
  rivals: text(2_000),
  languages: text(200),
  kinds: z
    .union([
      z
        .string()
        .max(40)
        .transform((one) => [one]),
      z.array(z.string().max(40)).max(50),
    ])
    .catch([]),
  addresses: text(10_000),
  contact: text(200),
}) satisfies z.ZodType<SetupForm>;

/** Of the senses that a page showed: a word is letters and digits, as the page had it. */
const SenseWord = z.string().regex(/^[\p{L}\p{M}\p{N}]{3,30}$/u);
const Senses = z
  .array(z.object({ words: z.array(SenseWord).max(20), not: z.array(SenseWord).max(20) }))
  .max(10);
const Index = z.coerce.number().int().min(0).max(10);
const Meant = z.object({
  senses: z
    .string()
    .max(10_000)
    .transform((text) => readJson(text))
    .pipe(Senses)
    .catch([]),
  meant: z.union([Index.transform((one) => [one]), z.array(Index).max(10)]).catch([]),
});

const Correction = z.object({
  query: z.string().max(100),
  mention: z.string().max(2_000),
  sentiment: z.enum(SENTIMENTS),
});

const CategoryId = z.coerce.number().int().min(1);
const CategoryIds = z
  .union([CategoryId.transform((one) => [one]), z.array(CategoryId).max(1_000)])
  .default([]);
const Categories = z.object({
  query: z.string().max(100),
  mention: z.string().max(2_000),
  category: CategoryIds,
  /** Those that were ticked when the page was made. */
  shown: CategoryIds,
});

const Written = z.object({ opened: text(64), slackChannel: text(100), slackToken: text(300) });

const EMPTY: SetupForm = Posted.parse({});
