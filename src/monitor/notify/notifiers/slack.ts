import {
  type AlertMessage,
  type CheckNote,
  type DigestMessage,
  defineNotifier,
  type NotifierMessage,
  type SendOptions,
  type SendResult,
  type VendorRef,
} from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";
import { CALLS } from "./slack/alert-blocks.ts";
import {
  composeDetails,
  composeReply,
  composeSlack,
  previewSlack,
  type SlackContent,
} from "./slack/compose-slack.ts";
import { type Connection, checkSlack, findChannelId, secretsOf, withSlack } from "./slack/connect.ts";
import { findOwnMessage, type OwnMessage, orNull } from "./slack/find-own-message.ts";
import { editMessage, postMessage, type Thread, tryToEdit } from "./slack/post-message.ts";
import { buttonFaults, editLimit, hasButtons, postLimit, SlackConfig } from "./slack/slack-config.ts";
import { slackInteractions } from "./slack/slack-interactions.ts";
import {
  editWithPicture,
  liveContent,
  NO_DETAILS,
  threadOf,
  updateLiveMessage,
} from "./slack/update-live-message.ts";

/**
 * One message for each alert, edited to show its current state. Later news is posted in its thread, and also in the
 * channel when the alert grew, came back, or nobody acknowledges it. Edits notify nobody and can be repeated later;
 * only the posted message has to get through.
 */
export const slack = defineNotifier({
  kind: "slack",
  config: SlackConfig,
  words: { checked: "the token is valid and the channel exists", sent: "Slack took the message" },
  channel: postLimit,
  faults: buttonFaults,
  preview: previewSlack,
  rehearse: {
    config: ({ channel }, { slack }) => ({ kind: "slack", channel, ...slack, postEvery: 0, editEvery: 0 }),
    isOf: (request, id) => request.by === "slack" && request.metadata["notification_id"] === id,
  },
  interactions: slackInteractions,
  create: (config, deps) => ({
    liveMessages: {
      editEveryMs: config.editEvery,
      channel: editLimit(config),
      updateMessage: (message, options) =>
        withSlack(config, deps, options.signal, (connection) =>
          updateLiveMessage(message, options, connection),
        ),
    },
    send: (message, { signal, beforePost }) =>
      withSlack(config, deps, signal, async (connection) =>
        message.kind === "digest"
          ? { vendorRef: await sendDigest(message, connection, beforePost) }
          : sendAlert(message, connection, beforePost),
      ),
    correct: (message, sent, { signal }) =>
      withSlack(config, deps, signal, (connection) => correctMessage(message, sent, connection)),
    check: ({ signal }) => withSlack(config, deps, signal, checkReceiver),
    notes: ({ signal }): Promise<readonly CheckNote[]> => withSlack(config, deps, signal, checkSlack),
    close: async () => {},
  }),
});

async function checkReceiver({ client, config }: Connection): Promise<void> {
  const { response_metadata: metadata } = await client.auth.test();
  if (metadata?.scopes !== undefined && !metadata.scopes.includes("chat:write")) {
    throw new DeliveryError("Slack lets the app post nothing: it lacks the scope chat:write", {
      code: "missing_scope",
      retryable: false,
      advice: "Add it (slack-app-manifest.yaml has it) and install the app again.",
    });
  }
  if ((await findChannelId(client, config.channel)) === null) {
    throw new DeliveryError(`Slack shows the app no channel ${config.channel}`, {
      code: "channel_not_found",
      retryable: false,
      advice: "Check the channel's name or id and invite the app to it (/invite).",
      secrets: secretsOf(config),
    });
  }
}

async function sendDigest(
  message: DigestMessage,
  connection: Connection,
  beforePost: SendOptions["beforePost"],
): Promise<VendorRef> {
  const earlier = message.attempt > 1 ? await findEarlierTry(message, null, connection) : null;
  if (earlier !== null) return earlier.vendorRef;
  return postMessage(
    {
      content: composeSlack(message, connection.renderer),
      notificationId: message.notificationId,
      part: "message",
      thread: null,
      broadcast: false,
      beforePost,
    },
    connection,
  );
}

async function sendAlert(
  message: AlertMessage,
  connection: Connection,
  beforePost: SendOptions["beforePost"],
): Promise<SendResult> {
  const { notificationId, view, previous, alsoCovers } = message;
  const thread = threadOf(previous);
  const earlier = message.attempt > 1 ? await findEarlierTry(message, thread, connection) : null;
  // A worker that was held must not put its old words over newer ones.
  if (thread !== null) await beforePost?.();
  const edited =
    thread === null
      ? "Gone"
      : await tryToEdit(thread, liveContent(message, previous ?? {}, connection), connection, notificationId);
  const isThere = edited !== "Gone" && edited !== "Locked";
  if (earlier !== null) return earlier;
  const context = { alertId: buttonsFor(message, connection), picture: null };
  const vendorRef = await postMessage(
    {
      content: isThere
        ? composeReply(view, connection.renderer, context)
        : composeSlack(message, connection.renderer, context),
      notificationId,
      part: "message",
      thread: isThere ? thread : null,
      // Slack announces a reply only to followers of the thread, so important ones are shown in the channel, too.
      broadcast: CALLS.has(message.kind),
      alsoCovers,
      beforePost,
    },
    connection,
  );
  return { vendorRef };
}

/** A message that stands there and can be edited no more is not corrected, whatever was posted since. */
async function correctMessage(
  message: NotifierMessage,
  sent: VendorRef,
  connection: Connection,
): Promise<void> {
  const thread = threadOf(sent);
  if (thread === null) return;
  if (message.kind === "digest") {
    await replaceMessage(thread, composeSlack(message, connection.renderer), connection);
    return;
  }
  if (sent["inThread"] !== undefined) {
    const context = { alertId: buttonsFor(message, connection), picture: null };
    await replaceMessage(thread, composeReply(message.view, connection.renderer, context), connection);
    return;
  }
  const { outcome } = await editWithPicture(thread, message, sent, connection);
  if (outcome !== "Edited" && outcome !== "Gone")
    await replaceMessage(thread, liveContent(message, {}, connection), connection);
  const { details } = sent;
  if (details !== undefined)
    await replaceMessage(
      { ...thread, ts: details },
      composeDetails(message.view, connection.renderer) ?? NO_DETAILS,
      connection,
    );
}

/** Blocks that Slack refuses must not keep the old text there: the plain text is enough. */
async function replaceMessage(thread: Thread, content: SlackContent, connection: Connection): Promise<void> {
  let edited = await editMessage(thread, content, connection);
  if (edited === "Refused") edited = await editMessage(thread, { ...content, blocks: [] }, connection);
  if (edited === "Edited" || edited === "Gone") return;
  const isLocked = edited === "Locked";
  throw new DeliveryError(
    isLocked ? "Slack no longer lets the message be edited" : "Slack refuses the new text of the message",
    { code: isLocked ? "edit_locked" : "edit_refused", retryable: false, advice: "Delete it there by hand." },
  );
}

function buttonsFor({ alertId }: AlertMessage, { config }: Connection): string | null {
  return hasButtons(config) ? alertId : null;
}

/** Searches the thread, and the channel, because the try went there if the first message was deleted. */
async function findEarlierTry(
  message: NotifierMessage,
  thread: Thread | null,
  { client, config }: Connection,
): Promise<SendResult | null> {
  const { notificationId } = message;
  const channel = thread?.channel ?? (await orNull(() => findChannelId(client, config.channel)));
  if (channel === null) return null;
  if (thread !== null) {
    const reply = await orNull(() =>
      findOwnMessage(client, { channel, threadTs: thread.ts, notificationId }),
    );
    if (reply !== null && reply.ts !== thread.ts)
      return foundAt({ channel, ts: reply.ts, inThread: thread.ts }, reply);
  }
  const found = await orNull(() => findOwnMessage(client, { channel, threadTs: null, notificationId }));
  return found === null ? null : foundAt({ channel, ts: found.ts }, found);
}

function foundAt(vendorRef: VendorRef, { alsoCovers }: OwnMessage): SendResult {
  return { vendorRef, found: { alsoCovers } };
}
