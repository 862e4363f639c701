import type { LiveMessage, Shown, UpdateOptions, VendorRef } from "../../define-notifier.ts";
import type { Connection } from "./connect.ts";
import { isFileShared } from "./find-own-message.ts";
import type { Thread } from "./post-message.ts";
import { type LeftOut, sharePicture, uploadPicture } from "./share-picture.ts";
import { slackErrorCode } from "./slack-error.ts";

/** The stored parts of a message, and a way to store more. */
export interface Kept {
  readonly ref: () => VendorRef;
  readonly keep: (ref: VendorRef) => Promise<void>;
}

const DONE: Shown = { finished: true, picture: null };
const LATER: Shown = { finished: false, picture: null };
const BROUGHT: Shown = { finished: false, picture: { outcome: "brought" } };

/**
 * Adds the alert's chart to the thread of its message. Stored are `picture`, the file, and `pictureOf`, the state that
 * it shows, so that a new state gets a new chart. `sharing` and `sharingOf` are the same for a file that Slack was
 * asked to share with unknown outcome; `looks` counts how often it was searched for.
 */
export async function addPicture(
  thread: Thread,
  { chart, view, attempt }: LiveMessage,
  kept: Kept,
  { mayPost, beforePost }: UpdateOptions,
  connection: Connection,
): Promise<Shown> {
  const ref = kept.ref();
  if (ref["sharing"] !== undefined) return settleSharing(ref["sharing"], thread, kept, connection);
  if (chart === undefined || chart === null) return DONE;
  // A new chart for a new notification only: growth alone does not fill the thread with charts.
  const pictureOf = `${view.severity} ${view.notifyCount}${view.resolvedAt === null ? "" : " resolved"}`;
  if (ref["pictureOf"] === pictureOf) {
    const isShown = ref["picture"] === undefined || ref["embedded"] === ref["picture"];
    // Slack processes a new file for some seconds; if the message never gets it, it is still in the thread.
    return { finished: isShown || attempt > MOST_TRIES_TO_EMBED, picture: null };
  }
  if (!(await mayPost())) return LATER;
  const title = `${view.query}: the last day`;
  const picture = { png: await chart(), name: "counts.png", altText: `Chart: ${title}` };
  const uploaded = await uploadPicture(picture, connection);
  if (uploaded.outcome === "left-out") return leaveOut(uploaded, pictureOf, kept);
  const { fileId } = uploaded;
  // Stored before anybody can see the file: after any crash from here on it is known as ours.
  await kept.keep({ ...ref, sharing: fileId, sharingOf: pictureOf });
  await beforePost();
  const shared = await sharePicture({ fileId, title }, thread, connection);
  if (shared.outcome === "left-out") return leaveOut(shared, pictureOf, kept);
  await kept.keep({ ...settled(kept.ref()), pictureOf, picture: fileId });
  return BROUGHT;
}

const MOST_TRIES_TO_EMBED = 5;

async function leaveOut(shared: LeftOut, pictureOf: string, { ref, keep }: Kept): Promise<Shown> {
  await keep({ ...settled(ref()), pictureOf });
  return { finished: true, picture: shared };
}

/** Slack shows a file some seconds after the request, so it is searched for more than once before it counts as lost. */
async function settleSharing(
  fileId: string,
  { channel, ts }: Thread,
  { ref, keep }: Kept,
  { client }: Connection,
): Promise<Shown> {
  const known = ref();
  const isShared = await isFileShared(client, { channel, threadTs: ts }, fileId).catch((error: unknown) => {
    // If the app may not read the thread: better to show the file twice than not at all.
    if (slackErrorCode(error) === null) throw error;
    return null;
  });
  if (isShared === true) {
    await keep({ ...settled(known), picture: fileId, pictureOf: known["sharingOf"] ?? "" });
    return BROUGHT;
  }
  const looks = Number(known["looks"] ?? 0) + 1;
  await keep(isShared === null || looks >= MOST_LOOKS ? settled(known) : { ...known, looks: `${looks}` });
  return LATER;
}

/** There are about three seconds between two searches. */
const MOST_LOOKS = 4;

function settled(known: VendorRef): VendorRef {
  const { sharing: _, sharingOf: __, looks: ___, ...rest } = known;
  return rest;
}
