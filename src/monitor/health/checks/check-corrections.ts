import { inUtc } from "../../../lib/instant.ts";
import { counted } from "../../../lib/numbers.ts";
import { sentence } from "../../../lib/text.ts";
import type { HealthProblem } from "../../model/operator-rules.ts";
import type { UncorrectedMessages } from "../../model/pipeline-facts.ts";
import type { HealthCheck } from "../define-check.ts";

/** Messages that show what somebody deleted. The label is not `receiver`: this receiver works, and may get the alert itself. */
export const correctionCheck: HealthCheck = ({ uncorrected }) =>
  uncorrected.map((messages): HealthProblem => {
    const { receiver, since, n } = messages;
    const labels = { messagesTo: receiver };
    return {
      ...{ rule: "messages-uncorrected", labels, since },
      ...{ because: becauseOf(messages), values: { messages: n } },
    };
  });

function becauseOf({ receiver, n, error, newest }: UncorrectedMessages): string {
  const which = newest.map(({ rule, digest, sentAt }) => {
    const alert = rule === null ? "about an alert that is no longer stored" : `about the rule ${rule}`;
    const what = digest === null ? alert : `of the digest ${digest}`;
    return sentAt === null ? what : `${what} of ${inUtc(sentAt)}`;
  });
  const others = n > newest.length ? ` and ${counted(n - newest.length, "other")}` : "";
  const [show, it] = n === 1 ? ["shows", "it"] : ["show", "them"];
  return `${counted(n, "message")} to ${receiver} still ${show} something that was deleted: ${sentence(error)} ${n === 1 ? "It is that" : "They are those"} ${which.join(", ")}${others}. Delete ${it} there by hand. Earshot looks once a day, and this ends when nothing is left`;
}
