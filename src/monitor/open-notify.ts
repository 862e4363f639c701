import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import type { Logger } from "../lib/log.ts";
import type { PngRenderer } from "./charts/png-renderer.ts";
import { type PlannedDigest, planDigests } from "./digest/planned-digest.ts";
import { openReceivers } from "./health/open-receivers.ts";
import type { Query } from "./model/query.ts";
import type { MonitorConfig } from "./monitor-config.ts";
import { type Channels, createChannels } from "./notify/channels.ts";
import type { Notifier } from "./notify/define-notifier.ts";
import type { DeliverParts } from "./notify/deliver/deliver.ts";
import { createActionLinks, createUnsubscribeLinks, linkSecret } from "./notify/view/signed-links.ts";
import { createViewOf, type ViewParts } from "./notify/view/view-of.ts";
import type { Rule } from "./rules/rule.ts";
import type { Stores } from "./store/stores.ts";
import type { Renderer } from "./templates/create-renderer.ts";

/** How people are notified: who, where, and with what content. */
export interface NotifyParts {
  readonly notifiers: ReadonlyMap<string, Notifier>;
  readonly channels: Channels;
  readonly digests: readonly PlannedDigest[];
  readonly view: ViewParts;
  readonly deliver: DeliverParts;
}

/** Notifiers are closed with `closing`. */
export async function openNotify(
  parts: {
    readonly config: MonitorConfig;
    readonly stores: Stores;
    readonly renderer: Renderer;
    readonly pictures: PngRenderer;
    readonly forMessages: Pick<ViewParts, "summarize" | "categories">;
    readonly rulesFor: (query: Query) => readonly Rule[];
    readonly consoleUrl: () => string | null;
    readonly version: string | null;
    readonly clock: Clock;
    readonly log: Logger;
  },
  closing: Closing,
): Promise<NotifyParts> {
  const { config, stores, renderer, pictures, rulesFor, consoleUrl, version, clock, log } = parts;
  const { receivers, timezone } = config;
  const notifiers = openReceivers(receivers, { renderer, stores, clock, log }, closing);
  const channels = createChannels(notifiers);
  const digests = planDigests(config.digests);
  const secret = await linkSecret(stores);
  const view: ViewParts = {
    stores,
    rulesFor,
    timezone,
    clock,
    pictures,
    consoleUrl,
    ...parts.forMessages,
    actionsFor: createActionLinks({ receivers, secret, consoleUrl, clock }),
    unsubscribeUrl: createUnsubscribeLinks({ receivers, secret, consoleUrl }),
    languageOf: (digest, receiver) =>
      digests.find(({ name }) => name === digest)?.languages.get(receiver) ?? null,
  };
  const deliver: DeliverParts = {
    log: stores.notifications,
    channelLimits: stores.channelLimits,
    liveMessages: stores.alertMessages,
    receiversOf: channels.receiversOf,
    notifierOf: (receiver) => notifiers.get(receiver),
    viewOf: createViewOf(view),
    allRunThis: () => stores.processes.allRun(version),
    clock,
  };
  return { notifiers, channels, digests, view, deliver };
}
