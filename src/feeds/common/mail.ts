import type { Instant } from "../../lib/instant.ts";

/** A mail without its attachments. Everything in it is hostile; the sender, too, is whatever somebody wrote. */
export interface Mail {
  readonly messageId: string | null;
  readonly from: { readonly address: string; readonly name: string } | null;
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
  /** When the server got it. */
  readonly receivedAt: Instant;
}

/** A mail as the server gave it; the fields beside the source are those of its envelope. */
export interface ReceivedMail extends Omit<Mail, "html" | "text"> {
  readonly source: Uint8Array<ArrayBuffer>;
}
