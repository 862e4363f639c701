import { DeliveryError } from "../../delivery-error.ts";
import type { Connection } from "./connect.ts";
import type { Thread } from "./post-message.ts";
import { slackErrorCode } from "./slack-error.ts";

export interface Picture {
  readonly png: Buffer;
  readonly name: string;
  /** For readers who do not see the picture. */
  readonly altText: string;
}

/** Not posted, and no later try helps. */
export type LeftOut = { readonly outcome: "left-out"; readonly because: string };

/** Uploads a picture to Slack, where nobody sees it yet. Throws errors that a later try may fix. */
export async function uploadPicture(
  { png, name, altText }: Picture,
  { client, config, signal }: Connection,
): Promise<{ readonly outcome: "uploaded"; readonly fileId: string } | LeftOut> {
  return orLeftOut(async () => {
    // The reference of the method says `alt_txt`, the SDK `alt_text`.
    const asked = { filename: name, length: png.length, alt_txt: altText, alt_text: altText };
    const { upload_url: url, file_id: fileId } = await client.files.getUploadURLExternal(asked);
    if (url === undefined || fileId === undefined) throw away("Slack gave no address for a picture");
    await upload(url, png, config.apiUrl, signal);
    return { outcome: "uploaded", fileId };
  });
}

/**
 * Shares an uploaded picture in the thread of a message: then everybody who reads the channel may see it, and the
 * message itself may show it. Throws errors that a later try may fix; Slack may have shared it all the same.
 */
export async function sharePicture(
  { fileId, title }: { readonly fileId: string; readonly title: string },
  thread: Thread,
  { client }: Connection,
): Promise<{ readonly outcome: "shared" } | LeftOut> {
  return orLeftOut(async () => {
    await client.files.completeUploadExternal({
      files: [{ id: fileId, title }],
      channel_id: thread.channel,
      thread_ts: thread.ts,
    });
    return { outcome: "shared" };
  });
}

async function orLeftOut<Done>(work: () => Promise<Done>): Promise<Done | LeftOut> {
  try {
    return await work();
  } catch (error) {
    const because = NEVER[slackErrorCode(error) ?? ""];
    if (because === undefined) throw error;
    return { outcome: "left-out", because };
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
  return new DeliveryError(message, { retryable: true });
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
