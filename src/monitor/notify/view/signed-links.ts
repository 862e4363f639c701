import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { readSigned, signText } from "../../../lib/signed-text.ts";
import type { Alert } from "../../model/alert.ts";
import { ACTION_LABELS, AlertLink, signAlertLink } from "../../model/alert-action.ts";
import { PEOPLE } from "../../model/people.ts";
import type { Stores } from "../../store/stores.ts";
import { definitionOf } from "../notifiers.ts";
import type { ReceiverConfig } from "../receiver-config.ts";
import type { ViewParts } from "./view-of.ts";

/** Signs links and forms: made once per installation, shared by all its processes. */
export async function linkSecret(stores: Pick<Stores, "settings">): Promise<string> {
  const secret = await stores.settings.getOrPut("link-secret", randomBytes(32).toString("base64url"));
  return String(secret);
}

/** The links of a message, each for one action on one alert. Only for a receiver with one known reader. */
export function createActionLinks(parts: {
  readonly receivers: readonly ReceiverConfig[];
  readonly secret: string;
  readonly consoleUrl: () => string | null;
  readonly clock: Clock;
}): NonNullable<ViewParts["actionsFor"]> {
  const withReader = new Set(
    parts.receivers
      .filter(({ notifier }) => definitionOf(notifier).reader !== undefined)
      .map(({ name }) => name),
  );
  return (alert: Alert, receiver: string) => {
    const url = parts.consoleUrl();
    if (url === null || !withReader.has(receiver) || alert.resolvedAt !== null) return [];
    return AlertLink.shape.action.options.map((action) => {
      const link = signAlertLink(
        parts.secret,
        { alertId: alert.id, action, by: receiver },
        parts.clock.now(),
      );
      return { label: ACTION_LABELS[action], url: `${url}/act/${link}` };
    });
  };
}

const PURPOSE = "unsubscribe";
/** Mails are kept for years, and the link in them has to work. */
const NEVER = 8.64e15;

const Subscription = z.object({ digest: z.string(), receiver: z.string() });

/** The links of digests, each for one digest and one receiver. Only for a receiver with one known reader. */
export function createUnsubscribeLinks(parts: {
  readonly receivers: readonly ReceiverConfig[];
  readonly secret: string;
  readonly consoleUrl: () => string | null;
}): (digest: string, receiver: string) => string | null {
  const withReader = new Set(
    parts.receivers
      .filter(({ notifier }) => definitionOf(notifier).reader !== undefined)
      .map(({ name }) => name)
      .concat(PEOPLE),
  );
  return (digest, receiver) => {
    const url = parts.consoleUrl();
    if (url === null || !withReader.has(receiver)) return null;
    const token = signText(parts.secret, PURPOSE, { digest, receiver }, NEVER);
    return `${url.replace(/(?<!\/)\/+$/, "")}/unsubscribe/${token}`;
  };
}

/** One reader of one digest, as a signed link names it. */
export interface Subscription {
  readonly digest: string;
  readonly receiver: string;
  readonly isSubscribed: boolean;
}

/** Ends subscriptions to digests. It needs only the token: anyone with the mail may unsubscribe and subscribe again. */
export interface Unsubscribing {
  /** Null for a token that was not signed here. */
  find(token: string): Promise<Subscription | null>;
  set(token: string, subscribed: boolean): Promise<Subscription | null>;
}

/** Handles a click on such a link. */
export function createUnsubscribing(parts: {
  readonly stores: Pick<Stores, "digests">;
  readonly secret: string;
  readonly clock: Clock;
}): Unsubscribing {
  const read = (token: string) => {
    const value = readSigned(parts.secret, PURPOSE, token, parts.clock.now());
    return Subscription.nullable().parse(value);
  };
  const isSubscribed = async ({ digest, receiver }: z.output<typeof Subscription>) =>
    !(await parts.stores.digests.unsubscribed(digest)).includes(receiver);
  return {
    find: async (token) => {
      const found = read(token);
      return found === null ? null : { ...found, isSubscribed: await isSubscribed(found) };
    },
    set: async (token, subscribed) => {
      const found = read(token);
      if (found === null) return null;
      await parts.stores.digests.setSubscribed(found.digest, found.receiver, subscribed);
      return { ...found, isSubscribed: subscribed };
    },
  };
}
