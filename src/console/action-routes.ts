import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  ACTION_LABELS,
  type Actor,
  type Alert,
  type AlertActions,
  AlertLink,
  type ConsoleFacts,
  describeMatch,
  LINK_SILENCE_MS,
  LONGEST_SILENCE_MS,
  readAlertLink,
} from "#monitor";
import { formatDuration, parseDuration } from "../lib/duration.ts";
import { UserError } from "../lib/errors.ts";
import { DAY, HOUR } from "../lib/instant.ts";
import { asksName, mayAct } from "./auth/access.ts";
import { actorOf } from "./auth/audit.ts";
import type { Forms } from "./auth/forms.ts";
import { readSilenceForm } from "./common/silence-form.ts";
import type { Times } from "./common/times.ts";
import type { createFrames } from "./frames.ts";
import { actionDonePage, actionPage } from "./pages/action.ts";
import { silencesPage } from "./pages/silences.ts";
import { ALERT_WORK, alertNotice, describeAlertWork } from "./parts/alert-work.ts";
import type { PressNotice } from "./parts/workflow.ts";

/** What people do, and what signs their forms and links: the same for every process. */
export interface ConsoleActions extends AlertActions {
  readonly secret: string;
}

interface Parts {
  readonly actions: ConsoleActions;
  readonly forms: Forms;
  readonly facts: ConsoleFacts;
  readonly times: Times;
}
type Frames = ReturnType<typeof createFrames>;
type LinkAction = AlertLink["action"];

/** Actions of people: forms, which only our own pages can send, and signed links, which need no login. */
export function actionRoutes(app: FastifyInstance, parts: Parts, frames: Frames): void {
  const { actions, forms, facts, times } = parts;
  const ownForm = { preHandler: [...forms.check] };

  app.get("/silences", async (request, reply) =>
    frames.sendPage(request, reply, async () => {
      const [silences, rules] = await Promise.all([
        actions.silences(false),
        actions.precision(times.now() - 30 * DAY),
      ]);
      const form = mayAct(request) ? { token: forms.token(request), asksName: asksName(request) } : null;
      return silencesPage({ silences, rules }, times, form);
    }),
  );

  app.post("/silences", ownForm, async (request, reply) => {
    const form = Form.safeParse(request.body);
    if (!form.success) return refuse(request, reply, 400, "That is not a valid silence");
    const read = readSilenceForm(request.body);
    if (!read.ok) return refuse(request, reply, 400, `Nothing was silenced: ${read.because}`);
    const { match, comment, lengthMs, windows } = read;
    const silence = { match, by: actorOf(request, form.data.by), comment, lengthMs, windows };
    request.noted = {
      actor: silence.by,
      target: describeMatch(match),
      detail: `for ${formatDuration(lengthMs)}`,
    };
    const refused = await actions.addSilence(silence).then(() => null, reasonOf);
    if (refused !== null) return refuse(request, reply, 400, `Nothing was silenced: ${refused}`);
    return reply.redirect("/silences", 303);
  });

  app.post("/silences/:id/expire", ownForm, async (request, reply) => {
    const form = Form.safeParse(request.body);
    const id = z.object({ id: z.guid() }).safeParse(request.params);
    if (!form.success || !id.success) return refuse(request, reply, 400, "That is not a valid silence");
    const by = actorOf(request, form.data.by);
    request.noted = { actor: by, target: id.data.id };
    await actions.expireSilence(id.data.id, by);
    return reply.redirect("/silences", 303);
  });

  app.post("/alerts/:id/act", ownForm, async (request, reply) => {
    const form = ActForm.safeParse(request.body);
    const id = z.object({ id: z.guid() }).safeParse(request.params);
    if (!form.success || !id.success) return refuse(request, reply, 400, "That cannot be done");
    const alert = await facts.alert(id.data.id);
    if (alert === null) return refuse(request, reply, 404, "There is no such alert");
    const by = actorOf(request, form.data.by);
    request.noted = { actor: by, target: `${alert.queryName}, ${alert.rule}`, detail: form.data.do };
    const refused = await perform(actions, alert, form.data, by);
    if (refused !== null) return refuse(request, reply, 409, `Nothing was changed: ${refused}`);
    return reply.redirect(`/alerts/${alert.id}`, 303);
  });

  app.post("/alerts/work", ownForm, async (request, reply) => {
    const form = WorkForm.safeParse(request.body ?? {});
    if (!form.success) return answerWork(request, reply, 400, NONE_CHOSEN);
    const by = actorOf(request, form.data.by);
    const action = { do: form.data.do, to: "", length: LINK_SILENCE_MS };
    const alerts = await Promise.all(form.data.alert.map((id) => facts.alert(id)));
    const kept = alerts.filter((alert) => alert !== null);
    const named = kept.slice(0, 5).map(({ queryName, rule }) => `${queryName}, ${rule}`);
    const target = `${named.join("; ")}${kept.length > 5 ? ` and ${kept.length - 5} more` : ""}`;
    request.noted = { actor: by, target, detail: action.do };
    const refused: { name: string; because: string }[] = [];
    // One after the other: each locks its query.
    for (const alert of kept) {
      const because = await perform(actions, alert, action, by);
      if (because !== null)
        refused.push({ name: `${alert.queryName}: ${times.titleOf(alert.rule)}`, because });
    }
    const done = kept.length - refused.length;
    return answerWork(request, reply, done === 0 ? 409 : 200, describeAlertWork(action.do, done, refused));
  });

  async function answerWork(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    notice: PressNotice,
  ) {
    if (request.headers["hx-request"] === "true")
      return frames.sendHtml(reply.code(status).header("hx-trigger", "worked"), alertNotice(notice));
    if (status !== 200) return refuse(request, reply, status, notice.sentence);
    return reply.redirect(Back.parse(request.body ?? {}).back, 303);
  }

  app.get("/act/:link", async (request, reply) => {
    const found = await alertOfLink(request);
    if (found === null) return linkTooOld(reply);
    const { alert, link, text } = found;
    const asks = {
      label: ACTION_LABELS[link.action],
      asksWho: link.action === "assign",
      action: `/act/${text}`,
    };
    return reply
      .type(HTML)
      .header("cache-control", "no-store")
      .send(actionPage({ alert, title: times.titleOf(alert.rule), ...asks }).toString());
  });

  // The signature in the address replaces the token of a form: anyone with the link may do this one thing.
  app.post("/act/:link", async (request, reply) => {
    const found = await alertOfLink(request);
    if (found === null) return linkTooOld(reply);
    const { alert, link, text } = found;
    const { to } = LinkForm.parse(request.body ?? {});
    const action = { do: link.action, to, length: LINK_SILENCE_MS };
    const by: Actor = { via: "mail", login: link.by, typed: null };
    request.noted = { actor: by, target: `${alert.queryName}, ${alert.rule}`, detail: link.action };
    const refused = await actions.useLink(text, MOST_OF_LINK[link.action], (actions) =>
      perform(actions, alert, action, by),
    );
    const sentence =
      refused === null ? `Done: ${ACTION_LABELS[link.action]}.` : `Nothing was changed: ${refused}.`;
    return reply
      .code(refused === null ? 200 : 409)
      .type(HTML)
      .send(actionDonePage(sentence).toString());
  });

  async function alertOfLink(request: FastifyRequest) {
    const { link: text } = z.object({ link: z.string().max(2000) }).parse(request.params);
    const link = readAlertLink(actions.secret, text, times.now());
    const alert = link === null ? null : await facts.alert(link.alertId);
    return link === null || alert === null ? null : { link, alert, text };
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, status: number, headline: string) {
    return frames.sendProblem(request, reply, status, headline, "Go back to the page and try again.");
  }

  function linkTooOld(reply: FastifyReply) {
    return reply
      .code(410)
      .type(HTML)
      .send(
        actionDonePage("This link has expired or is incomplete. Open the alert on the console.").toString(),
      );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UserError) return error.message;
  throw error;
}

/** The reason why nothing was done, or null when it is done. */
async function perform(
  actions: Pick<ConsoleActions, "act" | "silenceAlert">,
  alert: Alert,
  action: { readonly do: LinkAction; readonly to: string; readonly length: number },
  by: Actor,
): Promise<string | null> {
  if (action.do === "assign" && action.to === "") return "enter the name of the assignee";
  const acted =
    action.do === "silence"
      ? await actions.silenceAlert(alert.id, action.length, by)
      : await actions.act(
          alert.id,
          action.do === "assign" ? { do: action.do, to: action.to } : { do: action.do },
          by,
        );
  if (acted === null) return "the alert is no longer stored";
  return acted.outcome === "Refused" ? acted.because : null;
}

const HTML = "text/html; charset=utf-8";

const Name = z.string().trim().max(80).catch("");
const LinkForm = z.object({ to: Name }).catch({ to: "" });
/** Assigning may be repeated, after a wrong name; every other action works once. */
const MOST_OF_LINK: Readonly<Record<LinkAction, number>> = {
  acknowledge: 1,
  assign: 5,
  resolve: 1,
  "not-relevant": 1,
  silence: 1,
};

const Form = z.object({ by: Name });
const Length = z
  .string()
  .transform((text) => parseDuration(text) ?? 0)
  .pipe(z.number().min(60_000).max(LONGEST_SILENCE_MS))
  .catch(4 * HOUR);
const NONE_CHOSEN: PressNotice = {
  sentence: "Nothing was changed: choose alerts first.",
  fault: true,
  undo: null,
};
/** As many as a page lists. */
const MOST_CHOSEN = 50;
const Back = z.object({
  back: z
    .string()
    .max(500)
    .regex(/^\/alerts(?:\?[\w=&-]*)?$/)
    .catch("/alerts"),
});
const WorkForm = Form.extend({
  do: z.enum(ALERT_WORK),
  alert: z.union([z.guid().transform((id) => [id]), z.array(z.guid()).min(1).max(MOST_CHOSEN)]),
});
const ActForm = Form.extend({ do: AlertLink.shape.action, to: Name, length: Length });
