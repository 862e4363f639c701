import type { FastifyInstance, FastifyRequest } from "fastify";
import type { MentionKey } from "#monitor";
import { uuid7 } from "../lib/uuid7.ts";
import { asksName, mayAct } from "./auth/access.ts";
import { IdInAddress } from "./common/address.ts";
import type { Corrections } from "./common/corrections.ts";
import { exportRoutes } from "./export-routes.ts";
import { addressOf, type createFrames, route } from "./frames.ts";
import { healthPageRoutes } from "./health-page-routes.ts";
import { inboxRoutes } from "./inbox-routes.ts";
import { listFormOf } from "./list-routes.ts";
import { alertPage, alertPart, readAlertStory } from "./pages/alert.ts";
import { AlertsQuestion, alertsPage, alertsPart, readAlerts } from "./pages/alerts.ts";
import type { HealthParts } from "./pages/health.ts";
import { asksForMe, listMentions, MentionsQuestion, mentionsPage, mentionsPart } from "./pages/mentions.ts";
import { overviewPage, overviewParts, type VolumeReader } from "./pages/overview.ts";
import { type ExplainMention, type ExplainUnread, WhyQuestion, whyMentionPage } from "./pages/why-mention.ts";
import {
  nameOf,
  PressedQuestion,
  readNotice,
  type WorkParts,
  workFormOf,
  workRoutes,
} from "./work-routes.ts";

type Frames = ReturnType<typeof createFrames>;

export function pageRoutes(
  app: FastifyInstance,
  all: HealthParts & {
    readonly volume: VolumeReader;
    /** Whether people can act on this console, and what they need for it. */
    readonly work: Omit<WorkParts, "times">;
    /** Takes corrections of mentions; null: nobody corrects any here. */
    readonly corrections: Corrections | null;
    readonly explainMention?: ExplainMention | undefined;
    readonly explainUnread?: ExplainUnread | undefined;
  },
  frames: Frames,
): void {
  const { volume, work } = all;
  route(app, "/", frames, {
    isShared: () => true,
    page: ({ url }) => overviewPage(addressOf(url), all, volume),
    parts: () => overviewParts(all, volume),
    json: async () => ({
      at: all.times.now(),
      openAlerts: await all.facts.openAlerts(100),
      volume: await volume(),
      mentions: await all.facts.newestMentions(50),
      notifications: await all.facts.notifications(50),
    }),
  });

  route(app, "/alerts", frames, {
    // Whoever may act has a form of their own around the list; the list is the same for all.
    isShared: (request, part) => part !== null || !work.hasActions || !mayAct(request),
    page: async (request) => {
      const form = await workFormOf(request, work);
      const address = form?.back ?? addressOf(request.url);
      const question = AlertsQuestion.parse(request.query);
      const make = () => alertsPart(address, all, question, { isWorkedOn: form !== null });
      const list = await (form === null ? make() : frames.share(request, make));
      return alertsPage(address, question, list, form);
    },
    parts: (request) => {
      const part = (isWorkedOn: boolean) => () =>
        alertsPart(addressOf(request.url), all, AlertsQuestion.parse(request.query), { isWorkedOn });
      return { list: part(false), "work-list": part(true) };
    },
    json: (request) => readAlerts(all, AlertsQuestion.parse(request.query)),
  });

  route(app, "/alerts/:id", frames, {
    page: async (request) => {
      const story = await storyOf(request);
      if (story === null) return null;
      const form =
        work.hasActions && mayAct(request)
          ? { token: work.forms.token(request), asksName: asksName(request) }
          : null;
      return alertPage(addressOf(request.url), story, all, form);
    },
    parts: (request) => ({
      story: async () => {
        const story = await storyOf(request);
        return story === null ? null : alertPart(story, all);
      },
    }),
    json: storyOf,
  });

  const readRequest = (request: FastifyRequest) => ({
    question: MentionsQuestion.parse(request.query),
    me: nameOf(request),
  });
  route(app, "/mentions", frames, {
    // Whoever may act has a form of their own around the list; the list is the same for all, but for who "me" is.
    isShared: (request, part) =>
      !asksForMe(MentionsQuestion.parse(request.query)) &&
      (part !== null || !work.hasActions || !mayAct(request)),
    page: async (request) => {
      const form = await workFormOf(request, work);
      const { pressed, gone } = PressedQuestion.parse(request.query);
      const notice = form === null ? null : await readNotice(work.stores, pressed, gone);
      const address = form?.back ?? addressOf(request.url);
      const question = readRequest(request);
      const make = async () => ({
        list: await mentionsPart(address, all, question, { isWorkedOn: form !== null }),
        queries: await all.facts.queryNames(),
      });
      // The form is the reader's own; what is in it is that of all who may act.
      const isOwn = form === null || asksForMe(question.question);
      const content = await (isOwn ? make() : frames.share(request, make));
      return mentionsPage(address, all, question, content, form === null ? null : { form, notice });
    },
    parts: (request) => {
      const part = (isWorkedOn: boolean) => () =>
        mentionsPart(addressOf(request.url), all, readRequest(request), { isWorkedOn });
      return { list: part(false), "work-list": part(true) };
    },
    json: (request) => listMentions(all, readRequest(request)),
  });
  workRoutes(app, { ...work, times: all.times }, frames);
  exportRoutes(app, all);

  const { explainMention, explainUnread } = all;
  if (explainMention !== undefined) {
    const explain = { mention: explainMention, unread: explainUnread };
    const whyQuestion = (request: FastifyRequest): WhyQuestion => {
      const question = WhyQuestion.parse(request.query);
      return { ...question, ask: question.ask && isOfThisSite(request) };
    };
    route(app, "/why", frames, {
      page: async (request) => {
        const isCorrected = all.corrections !== null && work.hasActions && mayAct(request);
        const token = isCorrected ? work.forms.token(request) : null;
        const hasRules = all.hasRules === true;
        const form = await workFormOf(request, work);
        const { pressed, gone } = PressedQuestion.parse(request.query);
        const notice = form === null ? null : await readNotice(work.stores, pressed, gone);
        const { mentionWorkflow, sourceEdits, authorLists } = work.stores;
        const story = async (key: MentionKey) => ({
          ...(await mentionWorkflow.story(key)),
          edits: await sourceEdits.ofMention(key),
        });
        return whyMentionPage(explain, whyQuestion(request), all.times, {
          hasRules,
          token,
          corrections: all.corrections,
          work: {
            ...{ form, notice, story, note: () => uuid7(all.times.now()) },
            ...{ listForm: await listFormOf(request, work), listsOf: authorLists.ofMentions },
          },
        });
      },
      parts: () => ({}),
      json: (request) => explainMention(WhyQuestion.parse(request.query).of),
    });
  }

  healthPageRoutes(app, { ...all, forms: work.forms, hasActions: work.hasActions }, frames);

  if (all.inbox !== null) inboxRoutes(app, { inbox: all.inbox, times: all.times, forms: work.forms }, frames);

  function storyOf(request: FastifyRequest) {
    const { id } = IdInAddress.parse(request.params);
    return id === null ? Promise.resolve(null) : readAlertStory(all, id);
  }
}

/** A picture on a page of strangers must not spend the rate limit: browsers say where a request comes from. */
function isOfThisSite({ headers }: FastifyRequest): boolean {
  const from = headers["sec-fetch-site"];
  return from === undefined || from === "same-origin" || from === "none";
}
