import type { ShownWait } from "../../model/shown.ts";
import type { Stores } from "../../store/stores.ts";
import { definitionOf } from "../notifiers.ts";
import type { ReceiverConfig } from "../receiver-config.ts";
import { receiverWait } from "./receiver-wait.ts";

/** The receivers whose messages wait now, and why. */
export function createReceiverWaits(
  stores: Pick<Stores, "channelLimits" | "failures" | "notifications">,
  receivers: readonly ReceiverConfig[],
): () => Promise<readonly ShownWait[]> {
  const channelLimits = receivers.map(({ name, notifier }) => ({
    receiver: name,
    channel: definitionOf(notifier).channel?.(notifier) ?? null,
  }));
  return async () => {
    const [closed, failures, waiting] = await Promise.all([
      stores.channelLimits.closed(),
      stores.failures.open(),
      stores.notifications.waiting(),
    ]);
    return channelLimits.flatMap(({ receiver, channel }) => {
      const wait = receiverWait({
        receiver,
        waiting: waiting.get(receiver) ?? 0,
        channel,
        closed: closed.find(({ key }) => key === channel?.key) ?? null,
        failure: failures.find(({ kind, scope }) => kind === "receiver" && scope === receiver) ?? null,
      });
      return wait === null ? [] : [wait];
    });
  };
}
