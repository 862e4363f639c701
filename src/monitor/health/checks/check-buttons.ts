import { MINUTE } from "../../../lib/instant.ts";
import { sentence } from "../../../lib/text.ts";
import type { HealthCheck } from "../define-check.ts";
import { BUTTONS } from "../note-failures.ts";

const LEAST_TRIES = 3;
/** Tried once a minute: what failed longer ago is of a connection that nobody opens any more. */
const STALE_MS = 5 * MINUTE;

/** Connections over which clicks on buttons come. Where a receiver with buttons fails as well, one cause has both. */
export const buttonCheck: HealthCheck = ({ failures, withButtons }, { receiverFails }, found) => {
  const failing = found.filter(({ rule }) => rule === "receiver-fails");
  if (failing.some(({ labels }) => withButtons.has(labels["receiver"] ?? ""))) return [];
  return failures.flatMap(({ kind, scope, message, final, forMs, lastAgoMs, since, times }) => {
    if (kind !== "extra" || !scope.startsWith(BUTTONS) || lastAgoMs > STALE_MS) return [];
    if (times < LEAST_TRIES || (!final && forMs < receiverFails)) return [];
    const name = scope.slice(BUTTONS.length);
    return [
      {
        rule: "buttons-fail" as const,
        labels: { kind: name },
        since,
        because: `buttons in messages (${name}) do nothing: ${sentence(message)} Alerts arrive. Until the buttons work, acknowledge and silence on the console, or with earshot alerts ack and earshot silence add`,
        values: { failures: times },
      },
    ];
  });
};
