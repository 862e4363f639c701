import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { SMTPServer } from "smtp-server";
import type { RawMessage } from "../message.ts";
import type { Attempt } from "../world.ts";

export type Answer = Attempt["answer"];

/** What a mail server says instead of yes. */
const SMTP = { later: [451, "4.3.2 mailbox closed"], never: [550, "5.7.1 not wanted here"] } as const;
const HTTP: Readonly<Record<Answer, number>> = { taken: 200, later: 503, never: 404 };

/** A mail server. `onMail` says what it answers. */
export async function startMailbox(
  onMail: (to: string, raw: string) => Answer,
): Promise<{ readonly host: string; readonly port: number; close(): Promise<void> }> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    onData: (stream, session, callback) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const raw = Buffer.concat(parts).toString();
        // Every mail of ours has one recipient.
        const [answer = "taken"] = session.envelope.rcptTo.map(({ address }) => onMail(address, raw));
        if (answer === "taken") return callback();
        const [responseCode, text] = SMTP[answer];
        callback(Object.assign(new Error(text), { responseCode }));
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { host: "127.0.0.1", port: portOf(server.server), close };
}

/** A server for posts. `onBody` says what it answers. */
export async function startWebhook(
  onBody: (body: string) => Answer,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    // Whether it is there is asked without a message.
    response.statusCode = request.method === "POST" ? HTTP[onBody(Buffer.concat(parts).toString())] : 200;
    response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** What names a message at its vendor, in every try and correction. */
export function nameOf(message: RawMessage): string {
  if (message.kind === "webhook")
    return (JSON.parse(message.body) as { notificationId?: string }).notificationId ?? message.body;
  return message.kind === "email" ? (/^message-id:\s*(\S+)/im.exec(message.raw)?.[1] ?? "") : "";
}

/** The report (RFC 3464) with which a mail comes back. */
export function reportOf(mail: string, to: string): string {
  const id = /^message-id:\s*(\S+)/im.exec(mail)?.[1] ?? "";
  return [
    ...["From: MAILER-DAEMON@mx.brand.example", "To: earshot@earshot.local.example", "Subject: Undelivered"],
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    ...["MIME-Version: 1.0", "", "--b", "Content-Type: text/plain", "", "It could not be delivered.", ""],
    ...["--b", "Content-Type: message/delivery-status", "", "Reporting-MTA: dns; mx.brand.example", ""],
    ...[`Final-Recipient: rfc822; ${to}`, "Action: failed", "Status: 5.1.1"],
    ...["Diagnostic-Code: smtp; 550 5.1.1 no such user here", ""],
    ...["--b", "Content-Type: text/rfc822-headers", "", `Message-ID: ${id}`, "", "--b--", ""],
  ].join("\r\n");
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
