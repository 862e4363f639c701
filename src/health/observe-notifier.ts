import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import type { LiveMessages, Notifier, Shown } from "../notify/define-notifier.ts";
import { DeliveryError } from "../notify/delivery-error.ts";
import type { Stores } from "../store/stores.ts";

/** Wraps a notifier and stores the outcome of its messages, for the health checks of all processes. */
export function observeNotifier(
  name: string,
  notifier: Notifier,
  parts: { readonly stores: Stores; readonly clock: Clock },
): Notifier {
  const { failures } = parts.stores;
  const { send: _, liveMessages, ...rest } = notifier;
  return {
    ...rest,
    ...(liveMessages !== undefined && { liveMessages: watchPictures(name, liveMessages, parts) }),
    send: async (message, options) => {
      try {
        const sent = await notifier.send(message, options);
        // A sent message must not look unsent because the note could not be stored.
        await failures.clear("receiver", [name]).catch(() => {});
        return sent;
      } catch (error) {
        if (!options.signal.aborted) {
          const { final, message: text } = judge(error);
          const reason = final ? "refused" : "failing";
          await failures
            .note({ kind: "receiver", scope: name, reason, message: text, final }, parts.clock.now())
            .catch(() => {});
        }
        throw error;
      }
    },
  };
}

/** A missing chart that somebody can fix is reported to the operators once, not in every log line. */
function watchPictures(
  name: string,
  liveMessages: LiveMessages,
  { stores: { failures }, clock }: Parameters<typeof observeNotifier>[2],
): LiveMessages {
  const note = async (picture: NonNullable<Shown["picture"]>): Promise<void> => {
    if (picture.outcome === "brought") return failures.clear("extra", [name]);
    const { because: message } = picture;
    await failures.note({ kind: "extra", scope: name, reason: "picture", message, final: true }, clock.now());
  };
  return {
    ...liveMessages,
    updateMessage: async (message, options) => {
      const shown = await liveMessages.updateMessage(message, options);
      // A shown message must not look as if it failed because the note could not be stored.
      if (shown.picture !== null) await note(shown.picture).catch(() => {});
      return shown;
    },
  };
}

function judge(error: unknown): { readonly final: boolean; readonly message: string } {
  const text = describeError(error).slice(0, 300);
  if (!(error instanceof DeliveryError)) return { final: false, message: text };
  return {
    final: !error.retryable,
    message: error.advice === null ? text : `${text}. ${error.advice}`,
  };
}
