import type {
  AlertMessage,
  LiveMessage,
  UpdateOptions,
  UpdateResult,
  VendorRef,
} from "../../define-notifier.ts";
import { addPicture } from "./add-picture.ts";
import { composeDetails, composeSlack, type SlackContent } from "./compose-slack.ts";
import type { Connection } from "./connect.ts";
import { findOwnMessage, orNull } from "./find-own-message.ts";
import { type EditResult, editMessage, postMessage, type Thread } from "./post-message.ts";
import { hasButtons } from "./slack-config.ts";
import { postComments } from "./thread-comments.ts";

/**
 * The stored parts of a message in addition to `channel` and `ts`: `details` is the reply with more mentions,
 * `detailsVersion` the content of the alert that it shows (absent: 0), `picture`
 * the file in its thread (see `addPicture`), `embedded` the file that the message itself shows.
 */
interface Parts {
  readonly details?: string;
  readonly picture?: string;
  readonly embedded?: string;
}

/**
 * Updates the message of an alert, then adds the details and the chart below it. Slack takes a moment to process the
 * chart, so it never delays the message. A message that people deleted while its alert is open is posted again.
 */
export async function updateLiveMessage(
  message: LiveMessage,
  options: UpdateOptions,
  connection: Connection,
): Promise<UpdateResult> {
  const thread = threadOf(message.previous);
  if (thread === null) return DONE;
  let ref: VendorRef = message.previous;
  const keep = async (next: VendorRef): Promise<void> => {
    ref = next;
    await options.onRef(next);
  };
  await options.beforePost();
  const edited = await editWithPicture(thread, message, ref, connection);
  if (edited.ref !== ref) await keep(edited.ref);
  // One that the workspace has locked stays as it is, and its thread goes on: an edit is no news, and a new message is.
  if (edited.outcome === "Gone") return postAnew(message, options, connection);
  if (message.view.kind === "test") return DONE;
  const shownVersion = String(message.contentVersion ?? 0);
  if (ref["details"] !== undefined && (ref["detailsVersion"] ?? "0") !== shownVersion) {
    await options.beforePost();
    await editMessage(
      { ...thread, ts: ref["details"] },
      composeDetails(message.view, connection.renderer) ?? NO_DETAILS,
      connection,
    );
    await keep({ ...ref, detailsVersion: shownVersion });
  }
  if (ref["details"] === undefined) {
    const details = composeDetails(message.view, connection.renderer);
    if (details !== null) {
      const ts = await postDetails(details, thread, message, options, connection);
      if (ts === null) return LATER;
      await keep({ ...ref, details: ts, detailsVersion: shownVersion });
    }
  }
  const kept = { ref: () => ref, keep };
  if (!(await postComments(message.comments ?? [], thread, message, kept, options, connection))) return LATER;
  return addPicture(thread, message, kept, options, connection);
}

/** In the place of mentions of which none is left. */
export const NO_DETAILS: SlackContent = { text: "The other mentions were deleted.", blocks: [] };

const DONE: UpdateResult = { finished: true, picture: null };
const LATER: UpdateResult = { finished: false, picture: null };

/** The channel and time by which Slack identifies a message; null if there is none yet. */
export function threadOf(ref: VendorRef | null): Thread | null {
  const channel = ref?.["channel"];
  const ts = ref?.["ts"];
  return channel === undefined || ts === undefined ? null : { channel, ts };
}

/** The message stays the first message: it shows the current numbers, without the text of later notifications. */
export function liveContent(
  { alertId, view }: Pick<AlertMessage, "alertId" | "view">,
  parts: Parts,
  { renderer, config }: Connection,
): SlackContent {
  const kind = view.kind === "test" ? "test" : "fired";
  const context = { alertId: hasButtons(config) ? alertId : null, picture: parts.embedded ?? null };
  return composeSlack({ kind, view: { ...view, kind } }, renderer, context);
}

/** A file that Slack is still processing, or that somebody deleted, must not block the text. */
export async function editWithPicture(
  thread: Thread,
  message: Pick<LiveMessage, "alertId" | "view">,
  ref: VendorRef,
  connection: Connection,
): Promise<{ readonly outcome: EditResult; readonly ref: VendorRef }> {
  const wanted: VendorRef = ref["picture"] === undefined ? ref : { ...ref, embedded: ref["picture"] };
  const outcome = await editMessage(thread, liveContent(message, wanted, connection), connection);
  if (outcome !== "Refused" || wanted["embedded"] === undefined)
    return { outcome, ref: wanted["embedded"] === ref["embedded"] ? ref : wanted };
  const { embedded: _, ...without } = ref;
  return {
    outcome: await editMessage(thread, liveContent(message, without, connection), connection),
    ref: ref["embedded"] === undefined ? ref : without,
  };
}

/** Finds the reply if an earlier try posted it. Null: the channel has no free slot now. */
async function postDetails(
  details: SlackContent,
  thread: Thread,
  { notificationId, attempt }: LiveMessage,
  { mayPost, beforePost }: UpdateOptions,
  connection: Connection,
): Promise<string | null> {
  const where = { channel: thread.channel, threadTs: thread.ts, notificationId, part: "details" as const };
  const earlier = attempt > 1 ? await foundOrNull(where, connection) : null;
  if (earlier !== null) return earlier;
  if (!(await mayPost())) return null;
  const post = {
    content: details,
    notificationId,
    part: "details" as const,
    thread,
    broadcast: false,
    beforePost,
  };
  return (await postMessage(post, connection))["ts"] ?? "";
}

/** Nothing is posted about a resolved alert: its end has, or will have, a message of its own. */
async function postAnew(
  message: LiveMessage,
  { mayPost, onRef, beforePost }: UpdateOptions,
  connection: Connection,
): Promise<UpdateResult> {
  const { view, notificationId, previous } = message;
  if (view.resolvedAt !== null || view.kind === "test") return DONE;
  const channel = previous["channel"] ?? connection.config.channel;
  // After a crash it may be posted already, with a `ts` that was not stored.
  const earlier =
    message.attempt > 1 ? await foundOrNull({ channel, threadTs: null, notificationId }, connection) : null;
  if (earlier !== null && earlier !== previous["ts"]) {
    await onRef({ channel, ts: earlier });
    return LATER;
  }
  if (!(await mayPost())) return LATER;
  const content = liveContent(message, {}, connection);
  await onRef(
    await postMessage(
      { content, notificationId, part: "message", thread: null, broadcast: false, beforePost },
      connection,
    ),
  );
  return LATER;
}

async function foundOrNull(
  where: Parameters<typeof findOwnMessage>[1],
  { client }: Connection,
): Promise<string | null> {
  return (await orNull(() => findOwnMessage(client, where)))?.ts ?? null;
}
