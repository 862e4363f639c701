import { storableText } from "../../lib/text.ts";
import type { SlackMethod } from "./slack-method.ts";
import type { SlackWorkspace } from "./slack-workspace.ts";

/** `files.completeUploadExternal`: shares an uploaded file as its own message. */
export function shareSlackFiles({ channels, files, post }: SlackWorkspace): SlackMethod {
  return async (fields) => {
    const wanted = fields["channel_id"];
    if (wanted !== undefined && !/^[CGDZ][A-Z0-9]{8,}$/.test(wanted))
      return { ok: false, error: "invalid_channel" };
    const channel = wanted === undefined ? null : await channels.resolve(wanted);
    if (wanted !== undefined && channel === null) return { ok: false, error: "channel_not_found" };
    const threadTs = fields["thread_ts"] ?? null;
    const completed = await files.complete(fields["files"] ?? "");
    if ("error" in completed) return { ok: false, error: completed.error };
    if (channel !== null) {
      await post(channel, {
        threadTs,
        broadcast: false,
        text: storableText(fields["initial_comment"] ?? ""),
        blocks: [],
        metadata: null,
        files: completed.files,
      });
    }
    return { ok: true, files: completed.files };
  };
}
