import { createHash } from "node:crypto";
import type { Renderer } from "../../../templates/create-renderer.ts";
import type { MessageContent } from "../../define-notifier.ts";

/**
 * `<hash@domain>`: the same for the same notification on every try. A mail sent twice, because the outcome of the first
 * try was unknown, is one mail for clients and servers that check. The hash keeps our ids private.
 */
export function messageId(id: string, domain: string): string {
  const hash = createHash("sha256").update(`notification ${id}`).digest("hex").slice(0, 32);
  return `<${hash}@${domain}>`;
}

/** In `bouncesTo` it is replaced by the notification's id, so that each mail has its own return path. */
const ID_PLACE = "{id}";

/**
 * The envelope's sender, to which mail servers report failures. With `{id}` the report names its notification even if
 * it quotes nothing of the mail.
 */
export function returnPath(
  { bouncesTo, from }: { readonly bouncesTo?: string; readonly from: string },
  notificationId: string,
): string {
  return (bouncesTo ?? from).replace(ID_PLACE, notificationId.replaceAll(/[^0-9a-z]/gi, "").toLowerCase());
}

/** The notification id in such an address; null for any other address. */
export function notificationIn(address: string): string | null {
  const hex = /(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])/.exec(address.toLowerCase())?.[0];
  return hex === undefined
    ? null
    : [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export interface EmailContent {
  /** One line. */
  readonly subject: string;
  /** Written as text, not stripped HTML. */
  readonly text: string;
  readonly html: string;
}

export function composeEmail({ kind, view }: MessageContent, renderer: Renderer): EmailContent {
  const what = kind === "digest" ? "digest" : "alert";
  return {
    subject: disarmed(renderer.render(`email/${what}-subject.header`, view)),
    text: renderer.render(`email/${what}.txt`, view),
    html: renderer.render(`email/${what}.html`, view),
  };
}

/**
 * Mail programs decode `=?utf-8?Q?=0D?=` in a subject, which could bring back characters that were removed. Another
 * question mark keeps it plain text.
 */
function disarmed(subject: string): string {
  return subject.replaceAll("=?", "=\uFF1F");
}
