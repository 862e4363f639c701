import { formatDuration } from "../../lib/duration.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../log.ts";
import type { Actor } from "../../model/actor.ts";
import type { AlertAction } from "../../model/alert-action.ts";
import { answerInteraction } from "../../notify/notifiers/slack/answer-interaction.ts";
import { nameOfUser } from "../../notify/notifiers/slack/name-of-user.ts";
import { type Interaction, readInteraction } from "../../notify/notifiers/slack/read-interaction.ts";
import type { SlackApp } from "../../notify/notifiers/slack/slack-apps.ts";
import type { AlertActions } from "./alert-actions.ts";

export type HandledInteraction =
  | { readonly outcome: "Done" }
  /** Nothing has changed, and why; whoever pressed was told. */
  | { readonly outcome: "Refused"; readonly because: string }
  /** It was told of before. */
  | { readonly outcome: "Known" }
  /** Not about an alert of ours. */
  | { readonly outcome: "NotOurs" }
  | { readonly outcome: "Unfit"; readonly reason: string };

/**
 * What a button in Slack does, by whichever way the press came: the same as at the page and in a mail, once, in the
 * name of whoever pressed it. Who may read the channel may press.
 */
export function createSlackActions(parts: {
  readonly actions: Pick<AlertActions, "once">;
  readonly log: Logger;
}): (payload: unknown, app: SlackApp) => Promise<HandledInteraction> {
  const { log } = parts;
  return async (payload, app) => {
    const read = readInteraction(payload);
    if (read.outcome === "not-ours") return { outcome: "NotOurs" };
    if (read.outcome === "unfit") {
      log.warn({ reason: read.reason }, "slack: a press that makes no sense was refused");
      return { outcome: "Unfit", reason: read.reason };
    }
    const { interaction } = read;
    const wanted = await wantedOf(interaction, app);
    const taken = await parts.actions.once(interaction.id, (actions) =>
      perform(actions, interaction, wanted),
    );
    if (taken === "known") return { outcome: "Known" };
    log.info(
      {
        alertId: interaction.alertId,
        action: interaction.action.do,
        user: interaction.user.id,
        ...taken.result,
      },
      "slack: a press",
    );
    if (interaction.responseUrl !== null && taken.answer !== null) {
      answerInteraction(interaction.responseUrl, taken.answer, app).then(
        (answer) => {
          if (answer === "not-answered")
            log.warn({ user: interaction.user.id }, "slack: a press could not be answered");
        },
        (error: unknown) =>
          log.warn({ reason: describeError(error) }, "slack: a press could not be answered"),
      );
    }
    return taken.result;
  };
}

interface Performed {
  readonly result: Extract<HandledInteraction, { outcome: "Done" | "Refused" }>;
  /** To the person who pressed; null where the message itself says it to everybody. */
  readonly answer: string | null;
}

type Wanted = AlertAction | { readonly do: "silence"; readonly lengthMs: number };

/** Slack is asked for names before anything is locked. */
async function wantedOf({ action }: Interaction, app: SlackApp): Promise<Wanted> {
  if (action.do !== "assign") return action;
  return { do: "assign", to: named(await nameOfUser(action.userId, app), action.userId) };
}

async function perform(
  actions: Pick<AlertActions, "act" | "silenceAlert">,
  { alertId, user }: Interaction,
  wanted: Wanted,
): Promise<Performed> {
  const by: Actor = { via: "slack", login: named(user.name, user.id), typed: null };
  if (wanted.do === "silence") {
    const silenced = await actions.silenceAlert(alertId, wanted.lengthMs, by);
    if (silenced?.outcome !== "Done") return refused(silenced);
    const length = formatDuration(wanted.lengthMs);
    const answer = `Silenced for ${length}. Should it grow graver, it is told, and so is its end.`;
    return { result: { outcome: "Done" }, answer };
  }
  const acted = await actions.act(alertId, wanted, by);
  return acted?.outcome === "Done" ? { result: { outcome: "Done" }, answer: null } : refused(acted);
}

function refused(answer: { readonly because: string } | null): Performed {
  const because = answer?.because ?? "the alert is stored no longer";
  return {
    result: { outcome: "Refused", because },
    answer: `Thank you, but nothing was changed: ${because}.`,
  };
}

/** People are known by their names; the id tells two of one name apart. */
function named(name: string, id: string): string {
  return name === id ? id : `${name.slice(0, 60)} (${id})`;
}
