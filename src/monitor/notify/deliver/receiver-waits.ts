import { formatDuration } from "../../../lib/duration.ts";
import { SECOND } from "../../../lib/instant.ts";
import type { Failure } from "../../model/failure.ts";
import type { ShownWait } from "../../model/shown.ts";
import type { Stores } from "../../store/stores.ts";
import type { ChannelLimit } from "../define-notifier.ts";
import { definitionOf } from "../notifiers.ts";
import type { ReceiverConfig } from "../receiver-config.ts";

/** The receivers whose messages wait now, and why. */
export function createReceiverWaits(
  stores: Pick<Stores, "channelLimits" | "failures" | "notifications">,
  receivers: readonly Pick<ReceiverConfig, "name" | "notifier">[],
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
      const sharing = channelLimits.filter((one) => channel !== null && one.channel?.key === channel.key);
      const wait = receiverWait({
        receiver,
        waiting: waiting.get(receiver) ?? 0,
        inLine: sharing.reduce((sum, one) => sum + (waiting.get(one.receiver) ?? 0), 0),
        channel,
        closed: closed.find(({ key }) => key === channel?.key) ?? null,
        failure: failures.find(({ kind, scope }) => kind === "receiver" && scope === receiver) ?? null,
      });
      return wait === null ? [] : [wait];
    });
  };
}

/** The state of one receiver and of its channel. */
export interface ReceiverState {
  readonly receiver: string;
  /** Messages that are not being sent. */
  readonly waiting: number;
  /** The same of all receivers of its channel: they take turns. */
  readonly inLine: number;
  readonly channel: ChannelLimit | null;
  /** The channel is closed for so long. */
  readonly closed: { readonly forMs: number; readonly reason: string | null } | null;
  readonly failure: Pick<Failure, "final" | "message"> | null;
}

/** Why messages to a receiver wait; null if nothing holds them up. What a person has to fix comes first. */
export function receiverWait({
  receiver,
  waiting,
  inLine,
  channel,
  closed,
  failure,
}: ReceiverState): ShownWait | null {
  const common = { receiver, waiting };
  if (failure?.final === true)
    return { ...common, outcome: "Refused", forMs: null, because: failure.message };
  if (closed !== null) {
    const because = closed.reason ?? failure?.message ?? "its channel is closed at this moment";
    return { ...common, outcome: "Paused", forMs: closed.forMs, because };
  }
  if (failure !== null) return { ...common, outcome: "TriedAgain", forMs: null, because: failure.message };
  // A limit that lets everything pass within a second delays nobody.
  if (channel === null || waiting === 0 || inLine * channel.everyMs < SECOND) return null;
  const because = `one message each ${formatDuration(channel.everyMs)}, the most severe first`;
  return { ...common, outcome: "InLine", forMs: inLine * channel.everyMs, because };
}
