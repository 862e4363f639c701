import { randomBytes } from "node:crypto";
import { z } from "zod";
import { readJson } from "../../lib/read-json.ts";
import { storableText } from "../../lib/storable-text.ts";
import type { LocalInboxDeps } from "./local-inbox-options.ts";
import type { SlackMethod } from "./slack-method.ts";
import { typeOfFile } from "./type-of-file.ts";

interface Upload {
  readonly name: string;
  readonly length: number;
  readonly bytes: Uint8Array | null;
}

/** Uploads to the local Slack: the app requests an address, sends the bytes, and completes the file. */
export function createSlackFiles({ store, clock }: LocalInboxDeps, uploadUrl: (id: string) => string) {
  const uploads = new Map<string, Upload>();

  const getUploadUrl: SlackMethod = async (fields) => {
    const name = storableText(fields["filename"] ?? "").slice(0, 255);
    const length = Number(fields["length"]);
    if (name === "" || !Number.isInteger(length) || length < 1)
      return { ok: false, error: "invalid_arguments" };
    if (length > MOST_BYTES) return { ok: false, error: "file_too_large" };
    const id = `F0${randomBytes(5).toString("hex").toUpperCase()}`;
    uploads.set(id, { name, length, bytes: null });
    return { ok: true, upload_url: uploadUrl(id), file_id: id };
  };

  return {
    getUploadUrl,

    upload: (id: string, bytes: Uint8Array): boolean => {
      const upload = uploads.get(id);
      if (upload === undefined || upload.length !== bytes.length) return false;
      uploads.set(id, { ...upload, bytes });
      return true;
    },

    /** `json` as the call has it: `[{"id": "F…", "title": "…"}]`. Refusals are Slack's own codes. */
    complete: async (
      json: string,
    ): Promise<{ readonly files: { id: string; title: string }[] } | { readonly error: string }> => {
      const wanted = Wanted.safeParse(readJson(json));
      if (!wanted.success) return { error: "invalid_arguments" };
      for (const { id } of wanted.data) {
        const upload = uploads.get(id);
        if (upload === undefined) return { error: "file_not_found" };
        if (upload.bytes === null) return { error: "file_update_failed" };
        const { name, bytes } = upload;
        await store.putFile({ id, name, type: typeOfFile(bytes), receivedAt: clock.now(), bytes });
        uploads.delete(id);
      }
      return { files: wanted.data.map(({ id, title }) => ({ id, title: storableText(title ?? "") })) };
    },

    areKnown: async (ids: readonly string[]): Promise<boolean> => {
      for (const id of ids) if ((await store.findFile(id)) === null) return false;
      return true;
    },
  };
}

const MOST_BYTES = 2 * 1024 * 1024;
const Wanted = z.array(z.object({ id: z.string(), title: z.string().max(2000).optional() })).min(1);
