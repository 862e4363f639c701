import { formatDuration } from "../../../../lib/duration.ts";
import { describeError } from "../../../../lib/errors.ts";
import type { Logger } from "../../../../lib/log.ts";
import { startOf } from "../../../../lib/text.ts";
import type { Actor, AlertAction } from "../../../model/alert-action.ts";
import type { AlertActions } from "../../../model/alert-actions.ts";
import type { MentionCorrection } from "../../../model/mention.ts";
import {
  answerInteraction,
  type Command,
  type Interaction,
  nameOfUser,
  readCommand,
  readInteraction,
} from "./interaction.ts";
import { type Reply, readReply } from "./reply.ts";
import type { SlackApp } from "./slack-config.ts";

export type HandledInteraction =
  | { readonly outcome: "Done" }
  /** Nothing changed, and why; the person got an answer. */
  | { readonly outcome: "Refused"; readonly because: string }
  /** Slack sent it before. */
  | { readonly outcome: "Known" }
  /** Not about one of our alerts. */
  | { readonly outcome: "NotOurs" }
  | { readonly outcome: "Unfit"; readonly reason: string };

/**
 * Handles the buttons in Slack, over the socket or the endpoint: the same actions as on the console and in a mail, once
 * per click, in the name of the person: of the user of the console, once they are linked. Everybody who may read the
 * channel may click.
 */
export function createSlackActions(parts: {
  readonly actions: Pick<AlertActions, "once" | "linkSlack" | "isOfIncident">;
  readonly log: Logger;
}): (payload: unknown, app: SlackApp) => Promise<HandledInteraction> {
  const { log } = parts;
  const answer = (responseUrl: string | null, text: string | null, userId: string, app: SlackApp): void => {
    if (responseUrl === null || text === null) return;
    answerInteraction(responseUrl, text, app).then(
      (answered) => {
        if (answered === "not-answered") log.warn({ user: userId }, "slack: a click could not be answered");
      },
      (error: unknown) => log.warn({ reason: describeError(error) }, "slack: a click could not be answered"),
    );
  };
  return async (payload, app) => {
    const command = readCommand(payload);
    if (command !== null) {
      const linked = await link(parts.actions, command);
      log.info({ user: command.user.id, ...linked.result }, "slack: a command");
      answer(command.responseUrl, linked.answer, command.user.id, app);
      return linked.result;
    }
    const reply = readReply(payload);
    if (reply !== null) return comment(parts.actions, reply, app);
    const read = readInteraction(payload);
    if (read.outcome === "NotOurs") return { outcome: "NotOurs" };
    if (read.outcome === "Unfit") {
      log.warn({ reason: read.reason }, "slack: an invalid interaction was refused");
      return { outcome: "Unfit", reason: read.reason };
    }
    const { interaction } = read;
    const request = await requestOf(interaction, app);
    const performed = await parts.actions.once(interaction.id, (actions) =>
      perform(actions, interaction, request),
    );
    if (performed === "known") return { outcome: "Known" };
    log.info(
      {
        alertId: interaction.alertId,
        action: interaction.action.do,
        user: interaction.user.id,
        ...performed.result,
      },
      "slack: a click",
    );
    answer(interaction.responseUrl, performed.answer, interaction.user.id, app);
    return performed.result;
  };
}

interface PerformResult {
  readonly result: Extract<HandledInteraction, { outcome: "Done" | "Refused" }>;
  /** For the person who clicked; null if the message itself shows the change to everybody. */
  readonly answer: string | null;
}

type RequestedAction =
  | AlertAction
  | { readonly do: "silence"; readonly lengthMs: number }
  | { readonly do: "correct"; readonly correction: MentionCorrection };

/** Asks Slack for names before any lock is taken. */
async function requestOf({ action }: Interaction, app: SlackApp): Promise<RequestedAction> {
  if (action.do !== "assign") return action;
  return { do: "assign", to: named(await nameOfUser(action.userId, app), action.userId) };
}

async function perform(
  actions: Pick<AlertActions, "act" | "silenceAlert" | "correct" | "userInSlack">,
  { alertId, user }: Interaction,
  request: RequestedAction,
): Promise<PerformResult> {
  const known = await actions.userInSlack({ teamId: user.teamId, userId: user.id });
  const by: Actor = { via: "slack", login: known ?? named(user.name, user.id), typed: null };
  if (request.do === "silence") {
    const silenced = await actions.silenceAlert(alertId, request.lengthMs, by);
    if (silenced?.outcome !== "Done") return refused(silenced);
    const length = formatDuration(request.lengthMs);
    const answer = `Silenced for ${length}. A rise in severity and the end are still sent.`;
    return { result: { outcome: "Done" }, answer };
  }
  if (request.do === "correct") {
    const corrected = await actions.correct(alertId, request.correction, by);
    // The message says it, with the name.
    return corrected?.outcome === "Done" ? { result: { outcome: "Done" }, answer: null } : refused(corrected);
  }
  const acted = await actions.act(alertId, request, by);
  return acted?.outcome === "Done" ? { result: { outcome: "Done" }, answer: null } : refused(acted);
}

function refused(answer: { readonly because: string } | null): PerformResult {
  const because = answer?.because ?? "the alert is no longer stored";
  return { result: { outcome: "Refused", because }, answer: `Nothing changed: ${because}.` };
}

/** An answer in the thread of a message becomes a comment on its incident. */
async function comment(
  actions: Pick<AlertActions, "once" | "isOfIncident">,
  { text, user, ...thread }: Reply,
  app: SlackApp,
): Promise<HandledInteraction> {
  // Most threads of a channel are about something else: of these Slack is asked nothing, and nothing is stored.
  if (!(await actions.isOfIncident(thread))) return { outcome: "NotOurs" };
  const name = await nameOfUser(user.id, app);
  const written = await actions.once(`reply ${thread.channel} ${thread.ts}`, async (within) => {
    const known = await within.userInSlack({ teamId: user.teamId, userId: user.id });
    const by: Actor = { via: "slack", login: known ?? named(name, user.id), typed: null };
    return within.commentInThread(thread, text, by);
  });
  if (written === "known") return { outcome: "Known" };
  if (written === null) return { outcome: "NotOurs" };
  return written.outcome === "Done" ? { outcome: "Done" } : written;
}

/** `/earshot link CODE` says who somebody is on the console. */
async function link(
  actions: Pick<AlertActions, "linkSlack">,
  { text, user }: Command,
): Promise<PerformResult> {
  const code = /^link\s+(\S.{0,60})$/i.exec(text)?.[1];
  if (code === undefined) {
    const answer = "Type: /earshot link CODE. The code is on the page Account of Earshot, under Slack.";
    return { result: { outcome: "Refused", because: "it is no command" }, answer };
  }
  const person = { teamId: user.teamId, userId: user.id, slackName: startOf(user.name, 80) };
  const name = await actions.linkSlack(code, person);
  if (name === null) return refused({ because: "this code was used, or its ten minutes are over" });
  return {
    result: { outcome: "Done" },
    answer: `You are ${name} in Earshot. What you click here carries that name.`,
  };
}

/** The name of a person; the id distinguishes two people of one name. */
function named(name: string, id: string): string {
  return name === id ? id : `${startOf(name, 60)} (${id})`;
}
