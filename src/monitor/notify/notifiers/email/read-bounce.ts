import { type HeaderLines, type ParsedMail, simpleParser } from "mailparser";
import { plainLine } from "../../../../lib/text.ts";
import type { BounceOutcome } from "../../../model/failure.ts";
import { notificationIn } from "./compose-email.ts";

/** What a mail server reports about a mail of ours. */
interface Bounce {
  /** The notification in its return path; null if there is none. */
  readonly notificationId: string | null;
  /** Message-ID of the quoted mail; null if it quotes none. */
  readonly messageId: string | null;
  readonly outcome: BounceOutcome;
  /** `5.1.1 smtp; 550 5.1.1 User unknown`: status and the other server's answer, one line. */
  readonly detail: string;
}

export type ReadBounce =
  | { readonly outcome: "Bounce"; readonly bounce: Bounce }
  /** A reply of a person, an automatic reply, a newsletter, a report of success. */
  | { readonly outcome: "NoBounce"; readonly because: string };

/** Reads a delivery status notification (RFC 3464). `to`: its recipient, if the caller knows it. */
export async function readBounce(message: Buffer | string, to: string | null): Promise<ReadBounce> {
  const mail = await simpleParser(message, OPTIONS);
  const report = reportOf(mail);
  if (report === null) return { outcome: "NoBounce", because: "it holds no delivery status (RFC 3464)" };
  const outcome = outcomeOf(report);
  if (outcome === null) {
    return { outcome: "NoBounce", because: `it reports "${report.action}", which is no failure` };
  }
  const addresses = [to ?? "", ...linesOf(mail.headerLines, PLACES_OF_ADDRESS)];
  return {
    outcome: "Bounce",
    bounce: {
      notificationId: addresses.map(notificationIn).find((id) => id !== null) ?? null,
      messageId: quotedId(mail),
      outcome,
      detail: oneLine([report.status, report.diagnostic].filter((part) => part !== "").join(" ")),
    },
  };
}

const OPTIONS = {
  keepDeliveryStatus: true,
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
};

/** Headers with the address that a message was really sent to, then the one its sender wrote. */
const PLACES_OF_ADDRESS = ["delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to"];

interface Report {
  readonly action: string;
  readonly status: string;
  readonly diagnostic: string;
}

/** Our mails have one recipient, so one report matters: that of the failure. */
function reportOf(mail: ParsedMail): Report | null {
  const part = mail.attachments.find(({ contentType }) => contentType === "message/delivery-status");
  if (part === undefined) return reportByHeader(mail);
  const [, ...recipients] = part.content.toString("utf8").split(/\r?\n[ \t]*\r?\n/);
  const reports = recipients.map(fieldsOf).flatMap((fields) => {
    const action = fields.get("action")?.toLowerCase();
    if (action === undefined) return [];
    return [{ action, status: fields.get("status") ?? "", diagnostic: fields.get("diagnostic-code") ?? "" }];
  });
  return reports.find(({ action }) => action === "failed") ?? reports[0] ?? null;
}

/** Exim may report without a status; a header names the failed recipient. */
function reportByHeader({ headerLines, subject = "" }: ParsedMail): Report | null {
  const [failed] = linesOf(headerLines, ["x-failed-recipients"]);
  return failed === undefined ? null : { action: "failed", status: "5.0.0", diagnostic: subject };
}

function outcomeOf({ action, status }: Report): BounceOutcome | null {
  if (action === "delayed") return "delayed";
  if (action !== "failed") return null;
  return status.startsWith("4") ? "expired" : "bounced";
}

/** The fields of one group; continued lines are joined. */
function fieldsOf(group: string): ReadonlyMap<string, string> {
  const lines = group.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const colon = line.indexOf(":");
      return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
}

/** The returned mail is attached whole, or only its headers. */
function quotedId({ attachments }: ParsedMail): string | null {
  const quoted = attachments.filter(({ contentType }) =>
    ["message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global"].includes(
      contentType,
    ),
  );
  for (const { content } of quoted) {
    const [head = ""] = content.toString("utf8").split(/\r?\n\r?\n/, 1);
    const id = /<[^<>\s]{3,250}>/.exec(fieldsOf(head).get("message-id") ?? "")?.[0];
    if (id !== undefined) return id;
  }
  return null;
}

function linesOf(lines: HeaderLines, names: readonly string[]): readonly string[] {
  return names.flatMap((name) =>
    lines.filter(({ key }) => key === name).map(({ line }) => line.slice(line.indexOf(":") + 1)),
  );
}

/** Text of a foreign server: kept short and on one line. */
function oneLine(text: string): string {
  const line = plainLine(text, 300);
  return line === "" ? "no reason was given" : line;
}
