import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Notifier } from "../../notify/define-notifier.ts";
import { DeliveryError } from "../../notify/delivery-error.ts";
import type { Stores } from "../../store/stores.ts";

/** The notifier as it is; what becomes of its messages is kept in the tables, for the watch of all processes. */
export function watchNotifier(
  name: string,
  notifier: Notifier,
  parts: { readonly stores: Stores; readonly clock: Clock },
): Notifier {
  const { failures } = parts.stores;
  return {
    check: notifier.check,
    close: notifier.close,
    send: async (message, options) => {
      try {
        const sent = await notifier.send(message, options);
        // A note that cannot be written must not make a message that was sent look unsent.
        await failures.clear("receiver", [name]).catch(() => {});
        return sent;
      } catch (error) {
        if (!options.signal.aborted) {
          const { final, said } = judge(error);
          const reason = final ? "refused" : "failing";
          await failures
            .note({ kind: "receiver", scope: name, reason, message: said, final }, parts.clock.now())
            .catch(() => {});
        }
        throw error;
      }
    },
  };
}

function judge(error: unknown): { readonly final: boolean; readonly said: string } {
  const told = describeError(error).slice(0, 300);
  if (!(error instanceof DeliveryError)) return { final: false, said: told };
  return { final: !error.retryable, said: error.advice === null ? told : `${told}. ${error.advice}` };
}
