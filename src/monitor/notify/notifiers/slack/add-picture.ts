import type { LiveMessage, UpdateOptions, UpdateResult, VendorRef } from "../../define-notifier.ts";
import { DeliveryError } from "../../delivery-error.ts";
import type { Connection } from "./connect.ts";
import { isFileShared } from "./find-own-message.ts";
import type { Thread } from "./post-message.ts";
import { slackErrorCode } from "./slack-error.ts";

/** The stored parts of a message, and a way to store more. */
interface StoredRef {
  readonly ref: () => VendorRef;
  readonly keep: (ref: VendorRef) => Promise<void>;
}

const DONE: UpdateResult = { finished: true, picture: null };
const LATER: UpdateResult = { finished: false, picture: null };
const BROUGHT: UpdateResult = { finished: false, picture: { outcome: "Brought" } };

/**
 * Adds the alert's chart to the thread of its message. Stored are `picture`, the file, and `pictureOf`, the state that
 * it shows, so that a new state gets a new chart. `sharing` and `sharingOf` are the same for a file that Slack was
 * asked to share with unknown outcome; `looks` counts how often it was searched for.
 */
export async function addPicture(
  thread: Thread,
  { chart, view, attempt }: LiveMessage,
  kept: StoredRef,
  { mayPost, beforePost }: UpdateOptions,
  connection: Connection,
): Promise<UpdateResult> {
  const ref = kept.ref();
  if (ref["sharing"] !== undefined) return settleSharing(ref["sharing"], thread, kept, connection);
  if (chart === undefined || chart === null) return DONE;
  // Each chart is a reply that people read: a new one for a rise in severity, a new day and the end.
  const day = view.incident?.day ?? 1;
  const pictureOf = `${view.severity} ${day}${view.resolvedAt === null ? "" : " resolved"}`;
  if (ref["pictureOf"] === pictureOf) {
    const isShown = ref["picture"] === undefined || ref["embedded"] === ref["picture"];
    // Slack processes a new file for some seconds; if the message never gets it, it is still in the thread.
    return { finished: isShown || attempt > MOST_TRIES_TO_EMBED, picture: null };
  }
  if (!(await mayPost())) return LATER;
  const title = `${view.query}: the last day`;
  const picture = { png: await chart(), name: "counts.png", altText: `Chart: ${title}` };
  const uploaded = await uploadPicture(picture, connection);
  if (uploaded.outcome === "LeftOut") return leaveOut(uploaded, pictureOf, kept);
  const { fileId } = uploaded;
  // Stored before anybody can see the file: after any crash from here on it is known as ours.
  await kept.keep({ ...ref, sharing: fileId, sharingOf: pictureOf });
  await beforePost();
  const shared = await sharePicture({ fileId, title }, thread, connection);
  if (shared.outcome === "LeftOut") return leaveOut(shared, pictureOf, kept);
  await kept.keep({ ...settled(kept.ref()), pictureOf, picture: fileId });
  return BROUGHT;
}

const MOST_TRIES_TO_EMBED = 5;

async function leaveOut(shared: LeftOut, pictureOf: string, { ref, keep }: StoredRef): Promise<UpdateResult> {
  await keep({ ...settled(ref()), pictureOf });
  return { finished: true, picture: shared };
}

/** Slack shows a file some seconds after the request, so it is searched for more than once before it counts as lost. */
async function settleSharing(
  fileId: string,
  { channel, ts }: Thread,
  { ref, keep }: StoredRef,
  { client }: Connection,
): Promise<UpdateResult> {
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

interface Picture {
  readonly png: Buffer;
  readonly name: string;
  /** For readers who do not see the picture. */
  readonly altText: string;
}

/** Not posted, and no later try helps. */
type LeftOut = { readonly outcome: "LeftOut"; readonly because: string };

/** Uploads a picture to Slack, where nobody sees it yet. Throws errors that a later try may fix. */
async function uploadPicture(
  { png, name, altText }: Picture,
  { client, config, signal }: Connection,
): Promise<{ readonly outcome: "Uploaded"; readonly fileId: string } | LeftOut> {
  return orLeftOut(async () => {
    // The reference of the method says `alt_txt`, the SDK `alt_text`.
    const asked = { filename: name, length: png.length, alt_txt: altText, alt_text: altText };
    const { upload_url: url, file_id: fileId } = await client.files.getUploadURLExternal(asked);
    if (url === undefined || fileId === undefined) throw away("Slack gave no address for a picture");
    await upload(url, png, config.apiUrl, signal);
    return { outcome: "Uploaded", fileId };
  });
}

/**
 * Shares an uploaded picture in the thread of a message: then everybody who reads the channel may see it, and the
 * message itself may show it. Throws errors that a later try may fix; Slack may have shared it all the same.
 */
async function sharePicture(
  { fileId, title }: { readonly fileId: string; readonly title: string },
  thread: Thread,
  { client }: Connection,
): Promise<{ readonly outcome: "Shared" } | LeftOut> {
  return orLeftOut(async () => {
    await client.files.completeUploadExternal({
      files: [{ id: fileId, title }],
      channel_id: thread.channel,
      thread_ts: thread.ts,
    });
    return { outcome: "Shared" };
  });
}

async function orLeftOut<Done>(work: () => Promise<Done>): Promise<Done | LeftOut> {
  try {
    return await work();
  } catch (error) {
    const because = NEVER[slackErrorCode(error) ?? ""];
    if (because === undefined) throw error;
    return { outcome: "LeftOut", because };
  }
}

/** The address is a secret: who knows it can upload. It must belong to Slack, or to the configured `apiUrl`. */
async function upload(url: string, png: Buffer, apiUrl: string, signal: AbortSignal): Promise<void> {
  const { protocol, hostname, origin } = new URL(url);
  const isSlack = protocol === "https:" && (hostname === "slack.com" || hostname.endsWith(".slack.com"));
  if (!isSlack && origin !== new URL(apiUrl).origin) throw away("Slack wanted a picture somewhere else");
  const answer = await fetch(url, {
    method: "POST",
    body: new Uint8Array(png),
    headers: { "content-type": "application/octet-stream" },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_TIMEOUT_MS)]),
  }).catch(() => {
    throw away("A picture could not be uploaded to Slack");
  });
  await answer.arrayBuffer().catch(() => null);
  if (!answer.ok) throw away(`Slack did not take a picture (HTTP ${answer.status})`);
}

function away(message: string): DeliveryError {
  return new DeliveryError(message, { code: "picture_refused", retryable: true });
}

const UPLOAD_TIMEOUT_MS = 15_000;

/** Errors that keep pictures away until somebody changes something, with what to do. */
const NEVER: Readonly<Record<string, string>> = {
  missing_scope:
    "the Slack app lacks the scope files:write. Add it (slack-app-manifest.yaml has it) and install the app again",
  not_allowed_token_type: "the token may not upload files: the receiver needs a bot token (xoxb-…)",
  no_permission: "the Slack app may not upload files. Ask a Slack administrator",
  file_uploads_disabled: "the workspace takes no files. Ask a Slack administrator",
  file_uploads_except_images_disabled: "the workspace takes no files of this kind. Ask a Slack administrator",
  storage_limit_reached: "the workspace has no room for files. Ask a Slack administrator",
  posting_to_channel_denied: "the Slack app may not post files in this channel. Ask a Slack administrator",
  unknown_method: "this Slack takes no files",
};
