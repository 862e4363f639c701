import { hostname } from "node:os";
import type { Clock } from "../../../lib/clock.ts";
import { counted } from "../../../lib/numbers.ts";
import type { Actor } from "../../model/alert-action.ts";
import type { AlertActions } from "../../model/alert-actions.ts";
import { describeMatch } from "../../model/alert-match.ts";
import type { Facts } from "../../store/stores.ts";

/**
 * Notes what people do by Slack and in the shell; of a click, in the transaction of what it does. What comes over HTTP
 * (pages, links of mails) is noted there: only a request knows from where it came.
 */
export function auditActions(
  actions: AlertActions,
  { audit }: Pick<Facts, "audit">,
  clock: Clock,
): AlertActions {
  const note = async (
    by: Actor,
    action: string,
    target: string,
    result: { readonly outcome: string; readonly because?: string } | boolean | null,
    detail = "",
  ): Promise<void> => {
    if (by.via !== "slack" && by.via !== "shell") return;
    const isDone = typeof result === "object" ? result !== null && result.outcome !== "Refused" : result;
    const because = typeof result === "object" && result?.because !== undefined ? `: ${result.because}` : "";
    await audit.add({
      ...{ at: clock.now(), actor: by, role: null, origin: by.via === "slack" ? "Slack" : hostname() },
      ...{ action, target, outcome: isDone ? "Done" : "Refused", detail: `${detail}${because}` },
    });
  };
  return {
    ...actions,
    act: async (alertId, action, by) => {
      const result = await actions.act(alertId, action, by);
      const to = action.do === "assign" ? ` to ${action.to}` : "";
      await note(by, "alert.act", alertId, result, `${action.do}${to}`);
      return result;
    },
    addSilence: async (requested) => {
      const silence = await actions.addSilence(requested);
      await note(requested.by, "silence.add", describeMatch(silence.match), true, silence.id);
      return silence;
    },
    silenceAlert: async (alertId, lengthMs, by) => {
      const result = await actions.silenceAlert(alertId, lengthMs, by);
      await note(by, "silence.add", alertId, result);
      return result;
    },
    correct: async (alertId, correction, by) => {
      const result = await actions.correct(alertId, correction, by);
      const said = "sentiment" in correction ? correction.sentiment : `category ${correction.category}`;
      const action = "sentiment" in correction ? "mention.sentiment" : "mention.category";
      await note(by, action, correction.resourceId, result, result?.outcome === "Done" ? result.to : said);
      return result;
    },
    expireSilence: async (id, by) => {
      const isEnded = await actions.expireSilence(id, by);
      await note(by, "silence.expire", id, isEnded);
      return isEnded;
    },
    linkSlack: async (code, person) => {
      const name = await actions.linkSlack(code, person);
      const target = `${person.slackName} (${person.userId})`.slice(0, 120);
      await note({ via: "slack", login: name ?? target, typed: null }, "slack.link", target, name !== null);
      return name;
    },
    commentInThread: async (thread, text, by) => {
      const result = await actions.commentInThread(thread, text, by);
      // Most threads of a channel are not about an incident, and no try to change anything.
      if (result !== null)
        await note(
          by,
          "incident.comment",
          `${thread.channel} ${thread.thread}`,
          result,
          counted(text.length, "letter"),
        );
      return result;
    },
    mergeIncidents: async (into, from, by) => {
      const result = await actions.mergeIncidents(into, from, by);
      await note(by, "incident.merge", into, result, `from ${from}`);
      return result;
    },
    splitAlert: async (alertId, by) => {
      const result = await actions.splitAlert(alertId, by);
      await note(by, "incident.split", alertId, result);
      return result;
    },
  };
}
