import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { stringify } from "yaml";
import { z } from "zod";
import { type ConsoleFacts, RuleForm, type RuleTryOutcome, type Stores } from "#monitor";
import { whyNot } from "./auth/access.ts";
import { actorOf } from "./auth/audit.ts";
import type { Forms } from "./auth/forms.ts";
import type { ConsoleSettings } from "./common/settings.ts";
import { type createFrames, route } from "./frames.ts";
import { MentionsQuestion, searchOf } from "./pages/mentions.ts";
import { type RulePageParts, readRulePage, rulePage, rulesPage } from "./pages/rules.ts";
import {
  type RuleEditor,
  resultAnswer,
  savedRulePage,
  TRY_DAYS,
  tryPage,
  type WhyReadOnly,
} from "./pages/try-rule.ts";
import { ruleOfSearch } from "./search/rule-of-search.ts";

type Frames = ReturnType<typeof createFrames>;

/** A rule in a form, twice as large as its text: the fields and what they change. */
const MOST_BYTES = 500_000;

/** Pages of rules: reading, trying, and saving where that is allowed. */
export function ruleRoutes(
  app: FastifyInstance,
  parts: RulePageParts & {
    readonly forms: Forms;
    readonly facts: Pick<ConsoleFacts, "queryNames">;
    readonly authorLists: Pick<Stores["authorLists"], "all">;
    readonly settings: Pick<ConsoleSettings, "editRules">;
    readonly hasTemplates: boolean;
  },
  frames: Frames,
): void {
  const { rules, times, forms } = parts;
  const ownForm = { preHandler: [...forms.check], bodyLimit: MOST_BYTES };

  route(app, "/rules", frames, {
    isShared: () => true,
    page: async () => rulesPage(await rules.list(), times, parts.hasTemplates),
    parts: () => ({}),
    json: () => rules.list(),
  });
  app.get("/rules/completions.json", async (_, reply) => reply.send(rules.completions));
  route(app, "/rules/:id", frames, {
    page: (request) => rulePage(parts, nameIn(request)),
    parts: () => ({}),
    json: (request) => readRulePage(parts, nameIn(request)),
  });
  app.get("/rules/:id/yaml", async (request, reply) => {
    const rule = await rules.find(nameIn(request));
    if (rule === null)
      return frames.sendProblem(request, reply, 404, "There is nothing here", "There is no such rule.");
    return sendFile(reply, rule.name, rule.text);
  });

  app.get("/rules/try", async (request, reply) => {
    const { kind, rule } = NewRule.parse(request.query);
    const found = rule === "search" ? await ofSearch(request) : null;
    const text = found?.text ?? rules.draft(kind);
    const form = rules.formOf(text);
    const mode = form === null ? "yaml" : "form";
    const editor = { ...{ name: "", opened: null, days: 14 }, text, form, mode } as const;
    return show(request, reply, editor, { ...(found !== null && { notes: found.notes }) });
  });
  app.get("/rules/:id/try", async (request, reply) =>
    frames.sendPage(request, reply, async () => {
      const rule = await rules.find(nameIn(request));
      if (rule === null) return null;
      const { name, text, version } = rule;
      const form = rules.formOf(text);
      const mode = form === null ? "yaml" : "form";
      return pageOf(request, { name, opened: version, text, form, mode, days: 14 });
    }),
  );

  app.post("/rules/try", ownForm, async (request, reply) => {
    const isPart = request.headers["hx-request"] === "true";
    const { editor, text, switched } = await readEditor(request, !isPart);
    if (switched) return show(request, reply, editor);
    const outcome = await attempt(request, reply, editor, text);
    if (isPart) return frames.sendHtml(reply, resultAnswer(outcome, text, editor, times));
    return show(request, reply, editor, { outcome, tried: text });
  });

  app.post("/rules/download", ownForm, async (request, reply) => {
    const { editor, text } = await readEditor(request, false);
    return sendFile(reply, rules.nameOf(editor.name) ?? "new-rule", text);
  });

  app.post("/rules/save", ownForm, async (request, reply) => {
    const { editor, text, by } = await readEditor(request, true);
    const refuse = (status: number, because: string, details: readonly string[] = []) => {
      reply.code(status);
      return show(request, reply, editor, { refused: { because, details } });
    };
    const readOnly = whyReadOnly(request);
    if (readOnly !== null) return refuse(403, readOnly);
    const { name, opened } = editor;
    request.noted = { actor: actorOf(request, by), target: name };
    const saved = await rules.save({ name, text, opened, actor: actorOf(request, by) }, times.now());
    if (saved.outcome === "Refused") return refuse(409, saved.because, saved.details);
    return frames.sendPage(request, reply, async () => savedRulePage(name, saved.next));
  });

  /** Nobody is an editor without a login: a name that anybody can type is no permission. */
  function whyReadOnly({ visitor }: FastifyRequest): WhyReadOnly {
    if (parts.settings.editRules !== true) return "web.editRules in earshot.yaml does not allow it";
    return whyNot(visitor, "editor");
  }

  /** A rule for what somebody searched: each such mention, to begin with. */
  async function ofSearch({ query }: FastifyRequest) {
    const question = MentionsQuestion.parse(query);
    const [queries, listed] = await Promise.all([parts.facts.queryNames(), parts.authorLists.all()]);
    const ids = [question.query, ...question.queries];
    const queryNames = queries.filter(({ queryId }) => ids.includes(queryId)).map(({ name }) => name);
    const searched = searchOf({ question, me: "me" }, times.now());
    const { content, notes } = ruleOfSearch(searched, { queryNames, listed });
    return { text: content === null ? null : stringify(content, { lineWidth: 0 }), notes };
  }

  /** What was posted: the editor, complete if it is shown again, and the YAML that it means. */
  async function readEditor(request: FastifyRequest, isShown: boolean) {
    const posted = Posted.parse(request.body ?? {});
    const { name, mode, base, days, by, show } = posted;
    const ownForm = mode === "form" ? RuleForm.parse(request.body ?? {}) : null;
    const text = ownForm === null ? posted.text : await rules.writeForm(ownForm, base || null);
    const shown = show ?? mode;
    const form =
      ownForm !== null && shown === "form"
        ? ownForm
        : isShown || show !== null
          ? await rules.readForm(text)
          : null;
    const editor: RuleEditor = {
      ...{ name, days, opened: posted.opened || null, form },
      mode: form === null ? "yaml" : shown,
      text: shown === "form" && mode === "form" ? base : text,
    };
    return { editor, text, by, switched: show !== null };
  }

  async function attempt(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, days }: RuleEditor,
    text: string,
  ): Promise<RuleTryOutcome> {
    const gone = new AbortController();
    const close = () => gone.abort();
    reply.raw.once("close", close);
    try {
      return await rules.attempt({ session: sessionOf(request), name, text, days }, gone.signal);
    } finally {
      reply.raw.off("close", close);
    }
  }

  /** Without a login, the browser's secret of forms: the form that is asked with needs it. */
  function sessionOf(request: FastifyRequest): string {
    const secret: unknown = Object.entries(request.session.data() ?? {}).find(
      ([key]) => key === "_csrf",
    )?.[1];
    return request.visitor?.session?.id ?? (typeof secret === "string" ? secret : request.ip);
  }

  async function pageOf(
    request: FastifyRequest,
    editor: RuleEditor,
    more: Pick<Parameters<typeof tryPage>[1], "refused" | "outcome" | "tried" | "notes"> = {},
  ) {
    return tryPage(editor, {
      ...{ token: forms.token(request), times, drafts: rules.drafts, readOnly: whyReadOnly(request) },
      words: await rules.words(),
      ...more,
    });
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    editor: RuleEditor,
    more: Parameters<typeof pageOf>[2] = {},
  ): Promise<FastifyReply> {
    return frames.sendPage(request, reply, () => pageOf(request, editor, more));
  }
}

/** A name of letters and digits only: it stands in a header. */
function sendFile(reply: FastifyReply, name: string, text: string): FastifyReply {
  return reply
    .type("application/yaml; charset=utf-8")
    .header("content-disposition", `attachment; filename="${name}.yaml"`)
    .send(text);
}

function nameIn(request: FastifyRequest): string {
  return z
    .object({ id: z.string() })
    .parse(request.params)
    .id.replace(/\.json$/, "");
}

const NewRule = z.object({
  kind: z.string().max(40).catch("volume"),
  /** `search`: the rest of the address is a search on the page of mentions. `from` is a moment of it. */
  rule: z.literal("search").nullable().catch(null),
});

const text = (most: number) => z.string().max(most).catch("");

const Posted = z.object({
  mode: z.enum(["form", "yaml"]).catch("yaml"),
  /** The other way of writing that somebody wants. */
  show: z.enum(["form", "yaml"]).nullable().catch(null),
  name: text(200).transform((name) => name.trim()),
  /** Longer than a rule may be: it is shown again, with that fault. */
  text: z
    .string()
    .catch("")
    .transform((all) => all.slice(0, 100_000)),
  base: text(100_000),
  opened: text(64),
  days: z.coerce
    .number()
    .refine((days) => TRY_DAYS.some((known) => known === days))
    .catch(14),
  by: text(80).transform((by) => by.trim()),
});
