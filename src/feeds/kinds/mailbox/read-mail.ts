import { simpleParser } from "mailparser";
import type { FeedItem } from "../../common/define-feed.ts";
import type { ReceivedMail } from "../../common/mail.ts";
import { textOfHtml } from "../../common/text-of-html.ts";
import { itemsOfMail } from "./items-of-mail.ts";

/** Of the fields that are read: what else stands in a header is in the envelope, or of no use. */
const LONGEST_HEADER = 20_000;

/** The items of a mail, with text in place of HTML. A mail that is none has its subject alone. */
export async function readMail({ source, ...envelope }: ReceivedMail): Promise<readonly FeedItem[]> {
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true, skipTextLinks: true };
  const parsed = await simpleParser(withoutLongHeader(source), options).catch(() => null);
  const html = typeof parsed?.html === "string" && parsed.html.trim() !== "" ? parsed.html : null;
  const text = parsed?.text === undefined || parsed.text.trim() === "" ? null : parsed.text;
  return itemsOfMail({ ...envelope, html, text }).map((item) =>
    item.body !== null && "html" in item.body
      ? { ...item, body: { text: textOfHtml(item.body.html) } }
      : item,
  );
}

/** With those fields alone that say how the body is written: a list of addresses takes the square of its length. */
function withoutLongHeader(source: Uint8Array): Buffer {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const ends = ["\r\n\r\n", "\n\n"].map((end) => bytes.indexOf(end)).filter((at) => at >= 0);
  const end = ends.length === 0 ? bytes.length : Math.min(...ends);
  // A field goes on in lines that begin with a blank.
  const fields = bytes.toString("latin1", 0, end).split(/\r?\n(?![ \t])/);
  const kept = fields.filter((field) => /^(?:content-|mime-version)/i.test(field)).join("\r\n");
  return Buffer.concat([Buffer.from(`${kept.slice(0, LONGEST_HEADER)}`, "latin1"), bytes.subarray(end)]);
}
