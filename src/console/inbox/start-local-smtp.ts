import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import { boundConnections } from "../../lib/listening.ts";
import { storableText } from "../../lib/text.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import {
  type EmailInboxMessage,
  type LocalInboxDeps,
  type LocalInboxOptions,
  typeOfFile,
} from "./inbox-store.ts";

interface LocalSmtp {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Accepts every mail for every address, with any login or none, and stores it before it answers. */
export async function startLocalSmtp(deps: LocalInboxDeps, options: LocalInboxOptions): Promise<LocalSmtp> {
  const timeoutMs = options.requestTimeoutMs ?? 30_000;
  const server = new SMTPServer({
    socketTimeout: timeoutMs,
    closeTimeout: 2_000,
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    hideSTARTTLS: true,
    disableReverseLookup: true,
    allowInsecureAuth: true,
    size: MAX_BYTES,
    onAuth: (_auth, _session, callback) => callback(null, { user: "anyone" }),
    onData: (stream, session, callback) => {
      receive(stream, session, deps).then(
        () => callback(null),
        (error: unknown) => {
          deps.log.error({ err: error }, "local mailbox: a mail could not be kept");
          callback(Object.assign(new Error("the mail could not be kept"), { responseCode: 451 }));
        },
      );
    },
  });
  // The sender reports broken connections.
  server.on("error", () => {});
  boundConnections(server.server, { most: MOST_CONNECTIONS });
  server.server.on("connection", (socket: Socket) => endLater(socket, SESSIONS * timeoutMs));
  const port = await listen(server);
  return { host: HOST, port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

const HOST = "127.0.0.1";
const MOST_CONNECTIONS = 50;
/** Limit of a whole session, as a multiple of the idle limit, because an occasional byte resets the idle limit. */
const SESSIONS = 4;
const MAX_BYTES = 10 * 1024 * 1024;

function endLater(socket: Socket, afterMs: number): void {
  const timer = setTimeout(() => socket.destroy(), afterMs).unref();
  socket.once("close", () => clearTimeout(timer));
}

async function receive(
  stream: NodeJS.ReadableStream,
  session: SMTPServerSession,
  { store, clock }: LocalInboxDeps,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  const raw = Buffer.concat(chunks);
  if (raw.length > MAX_BYTES) throw Object.assign(new Error("too large"), { responseCode: 552 });
  const { mailFrom, rcptTo } = session.envelope;
  const mail = await simpleParser(raw, { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true });
  const pictures = await keepPictures(mail, { store, clock });
  await store.append({
    ...read(mail),
    ...(pictures.length > 0 && { pictures }),
    kind: "email",
    id: uuid7(clock.now()),
    receivedAt: clock.now(),
    from: mailFrom === false ? "" : storableText(mailFrom.address),
    to: rcptTo.map(({ address }) => storableText(address)),
  });
}

/** Stored apart from the mail, because lists read each mail completely. */
async function keepPictures(
  { attachments }: ParsedMail,
  { store, clock }: Pick<LocalInboxDeps, "store" | "clock">,
): Promise<{ cid: string; file: string }[]> {
  const pictures = [];
  for (const { cid, content, filename } of attachments) {
    if (cid === undefined) continue;
    const file = `M0${randomBytes(5).toString("hex").toUpperCase()}`;
    const name = storableText(filename ?? "").slice(0, 255);
    await store.putFile({
      id: file,
      name,
      type: typeOfFile(content),
      receivedAt: clock.now(),
      bytes: content,
    });
    pictures.push({ cid: storableText(cid), file });
  }
  return pictures;
}

type MailContent = Omit<EmailInboxMessage, "kind" | "id" | "receivedAt" | "from" | "to" | "pictures">;

function read(mail: ParsedMail): MailContent {
  const references = typeof mail.references === "string" ? [mail.references] : (mail.references ?? []);
  return {
    subject: storableText(mail.subject ?? ""),
    messageId: mail.messageId === undefined ? null : storableText(mail.messageId),
    inReplyTo: mail.inReplyTo === undefined ? null : storableText(mail.inReplyTo),
    references: references.map(storableText),
    headers: mail.headerLines.map(({ line }) => headerOf(storableText(line))),
    text: mail.text === undefined ? null : storableText(mail.text),
    html: mail.html === false ? null : storableText(mail.html),
  };
}

function headerOf(line: string): { name: string; value: string } {
  const colon = line.indexOf(":");
  return {
    name: line.slice(0, colon),
    value: line
      .slice(colon + 1)
      .replaceAll(/\r?\n[ \t]+/g, " ")
      .trim(),
  };
}

function listen(server: SMTPServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.once("error", reject);
    server.listen(0, HOST, () => {
      const address = server.server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
