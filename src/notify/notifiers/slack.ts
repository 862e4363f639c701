import { LogLevel, WebClient } from "@slack/web-api";
import { z } from "zod";
import { describeError } from "../../lib/errors.ts";
import {
  type AlertMessage,
  defineNotifier,
  type NotifierDeps,
  type NotifierMessage,
  type Taken,
  type VendorRef,
} from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";
import { composeSlack, type SlackContent } from "./slack/compose-slack.ts";
import { findChannelId } from "./slack/find-channel-id.ts";
import { EVENT_TYPE, findOwnMessage } from "./slack/find-own-message.ts";
import { slackErrorCode, toSlackDeliveryError } from "./slack/slack-error.ts";

const SlackConfig = z.strictObject({
  kind: z.literal("slack"),
  /** Name (`#alerts`) or id (`C0123456789`) of a channel that the app was invited to. */
  channel: z.string().min(1).max(100),
  /** Bot token of the Slack app. */
  token: z.string().min(1),
  /** Another Slack: the local one of the demo and the tests. */
  apiUrl: z.url({ protocol: /^https?$/ }).default("https://slack.com/api/"),
});
type SlackConfig = z.output<typeof SlackConfig>;

/**
 * One message for each alert; what happens to it later is told in its thread (and shown in the channel), while the
 * message itself is edited to show how things stand. Edits notify nobody and are best effort; the reply is what counts.
 */
export const slack = defineNotifier({
  kind: "slack",
  config: SlackConfig,
  create: (config, deps) => ({
    send: (message, { signal }) => attempt(config, () => send(message, connect(config, deps, signal))),
    check: ({ signal }) => attempt(config, () => checkReceiver(connect(config, deps, signal))),
    close: async () => {},
  }),
});

async function attempt<T>(config: SlackConfig, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toSlackDeliveryError(error, [config.token]);
  }
}

interface Connection extends NotifierDeps {
  readonly config: SlackConfig;
  readonly client: WebClient;
}

/**
 * A client for one delivery. The queue decides about repeats, so the SDK must not: on a 429 it would hold back its
 * whole queue, and a busy channel would delay the critical one.
 */
function connect(config: SlackConfig, deps: NotifierDeps, signal: AbortSignal): Connection {
  const client = new WebClient(config.token, {
    slackApiUrl: config.apiUrl.endsWith("/") ? config.apiUrl : `${config.apiUrl}/`,
    allowAbsoluteUrls: false,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: TIMEOUT_MS,
    logger: SILENT,
    fetch: (url, init) => {
      const signals = [signal, init?.signal].filter((one) => one !== undefined);
      return fetch(url, { ...init, signal: AbortSignal.any(signals) });
    },
  });
  return { ...deps, config, client };
}

async function checkReceiver({ client, config }: Connection): Promise<void> {
  await client.auth.test();
  if ((await findChannelId(client, config.channel)) !== null) return;
  throw new DeliveryError(`Slack shows the app no channel ${config.channel}`, {
    retryable: false,
    advice: "Check the channel's name or id and invite the app to it (/invite).",
  });
}

async function send(message: NotifierMessage, connection: Connection): Promise<Taken> {
  const thread = threadOf(message);
  const earlier = message.attempt > 1 ? await findEarlierTry(message, thread, connection) : null;
  const standing =
    thread === null || message.kind === "digest" ? "gone" : await showState(message, thread, connection);
  if (earlier !== null) return { vendorRef: earlier, isFound: true };
  const content = composeSlack(message, connection.renderer);
  return {
    vendorRef: await postMessage(content, message, standing === "gone" ? null : thread, connection),
  };
}

/** In the thread, and in the channel, where it went if the first message was gone by then. */
async function findEarlierTry(
  message: NotifierMessage,
  thread: Thread | null,
  { client, config }: Connection,
): Promise<VendorRef | null> {
  const { notificationId } = message;
  const channel = thread?.channel ?? (await orNull(() => findChannelId(client, config.channel)));
  if (channel === null) return null;
  if (thread !== null) {
    const reply = await orNull(() =>
      findOwnMessage(client, { channel, threadTs: thread.ts, notificationId }),
    );
    if (reply !== null && reply !== thread.ts) return { channel, ts: reply, inThread: thread.ts };
  }
  const ts = await orNull(() => findOwnMessage(client, { channel, threadTs: null, notificationId }));
  return ts === null ? null : { channel, ts };
}

/** An app that may not read, or a thread that is gone: then it is rather told twice than not at all. */
async function orNull<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (slackErrorCode(error) === null) throw error;
    return null;
  }
}

async function postMessage(
  content: SlackContent,
  message: NotifierMessage,
  thread: Thread | null,
  connection: Connection,
): Promise<VendorRef> {
  const { text, blocks } = content;
  const channel = thread?.channel ?? connection.config.channel;
  const post = {
    channel,
    ...(blocks.length > 0 ? { text, blocks } : { text }),
    metadata: { event_type: EVENT_TYPE, event_payload: { notification_id: message.notificationId } },
    mrkdwn: blocks.length === 0,
    parse: "none" as const,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
  try {
    const answer = await connection.client.chat.postMessage(
      thread === null ? post : { ...post, thread_ts: thread.ts, reply_broadcast: true },
    );
    const vendorRef = { channel: answer.channel ?? channel, ts: answer.ts ?? "" };
    return thread === null ? vendorRef : { ...vendorRef, inThread: thread.ts };
  } catch (error) {
    const code = slackErrorCode(error) ?? "";
    // What is announced in a thread that somebody deleted is announced in the channel; what Slack will not lay out
    // is told as plain text. Both are faults that would be the same on every later try.
    if (thread !== null && GONE.has(code)) return postMessage(content, message, null, connection);
    if (blocks.length > 0 && BAD_LAYOUT.has(code))
      return postMessage({ text, blocks: [] }, message, thread, connection);
    throw error;
  }
}

interface Thread {
  readonly channel: string;
  readonly ts: string;
}

function threadOf(message: NotifierMessage): Thread | null {
  const channel = message.previous?.["channel"];
  const ts = message.previous?.["ts"];
  return channel === undefined || ts === undefined ? null : { channel, ts };
}

/**
 * Edits the first message to show how things stand; `gone` when there is nothing left to edit, because people deleted
 * it or Slack lets it be changed no longer. Then the alert is posted anew.
 */
async function showState(
  message: AlertMessage,
  thread: Thread,
  connection: Connection,
): Promise<"shown" | "gone"> {
  // The first message stays the first message: it shows the numbers of now, without the words of the follow-up.
  const content = composeSlack(
    { kind: "fired", view: { ...message.view, kind: "fired" } },
    connection.renderer,
  );
  try {
    await connection.client.chat.update({ ...thread, ...content, parse: "none", link_names: false });
    return "shown";
  } catch (error) {
    const reason = describeError(toSlackDeliveryError(error, [connection.config.token]));
    connection.log.warn(
      { notificationId: message.notificationId, reason },
      "slack: first message not edited",
    );
    return UNCHANGEABLE.has(slackErrorCode(error) ?? "") ? "gone" : "shown";
  }
}

const TIMEOUT_MS = 15_000;
const GONE = new Set(["thread_not_found", "message_not_found", "cannot_reply_to_message"]);
const UNCHANGEABLE = new Set(["message_not_found", "cant_update_message", "edit_window_closed"]);
const BAD_LAYOUT = new Set([
  "invalid_blocks",
  "invalid_blocks_format",
  "msg_blocks_too_long",
  "msg_too_long",
]);

/** The SDK would write to the console, bodies included. */
const SILENT = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  setName: () => {},
  getLevel: () => LogLevel.ERROR,
};
