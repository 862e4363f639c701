import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createLocalInbox,
  type InboxFile,
  type InboxMessage,
  type InboxStore,
  renderSlackMessage,
} from "#console";
import type { LocalVendors, RehearsedRequest } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { openTogether } from "../../lib/closing.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";

/** A message as a local vendor took it. */
interface ReceivedMessage {
  readonly at: Instant;
  readonly isEdit: boolean;
  readonly text: string;
  readonly html: string | null;
  readonly request: RehearsedRequest;
}

/** The local Slack, mailbox and server for any other request, of one test. */
export interface LocalReceivers {
  readonly vendors: LocalVendors;
  /** In the order in which they came. */
  readonly received: readonly ReceivedMessage[];
  close(): Promise<void>;
}

/** Starts them on the loopback address. They keep every message, and every version of one that was edited. */
export function startLocalReceivers(clock: Clock, token: string, log: Logger): Promise<LocalReceivers> {
  return openTogether(async (closing) => {
    const received: ReceivedMessage[] = [];
    const store = createRecordingStore(clock, received);
    const inbox = await createLocalInbox({ store, clock, log }, { token });
    closing.add(inbox.close);
    const server = await startServer((body) =>
      received.push({
        ...{ at: clock.now(), isEdit: false, text: body, html: null },
        request: { by: "http", body },
      }),
    );
    closing.add(server.close);
    const vendors = { slack: { apiUrl: inbox.slackApiUrl, token }, smtp: inbox.smtp, httpUrl: server.url };
    return { vendors, received, close: closing.close };
  });
}

/** An inbox that lives as long as the test. */
function createRecordingStore(clock: Clock, received: ReceivedMessage[]): InboxStore {
  const messages = new Map<string, InboxMessage>();
  const files = new Map<string, InboxFile>();
  const note = (message: InboxMessage, isEdit: boolean): void => {
    messages.set(message.id, message);
    // A reply with details is a part of its message.
    if (message.kind === "slack" && message.metadata?.payload["part"] !== undefined) return;
    received.push({
      at: clock.now(),
      isEdit,
      text: readableText(message),
      html: isEdit ? null : htmlOf(message, files),
      request:
        message.kind === "slack"
          ? { by: "slack", metadata: message.metadata?.payload ?? {} }
          : { by: "smtp", messageId: message.messageId ?? "" },
    });
  };
  return {
    append: async (message) => note(message, false),
    update: async (message) => note(message, true),
    find: async (id) => messages.get(id) ?? null,
    remove: async (id) => {
      messages.delete(id);
    },
    putFile: async (file) => {
      files.set(file.id, file);
    },
    findFile: async (id) => files.get(id) ?? null,
    list: async ({ kind, channel, threadTs, before, limit }) => {
      const newestFirst = [...messages.values()].reverse();
      const from = before === undefined ? 0 : 1 + newestFirst.findIndex(({ id }) => id === before);
      return newestFirst
        .slice(from)
        .filter(
          (one) =>
            (kind === undefined || one.kind === kind) &&
            (channel === undefined || (one.kind === "slack" && one.channel === channel)) &&
            (threadTs === undefined || (one.kind === "slack" && one.threadTs === threadTs)),
        )
        .slice(0, limit);
    },
  };
}

/** With its pictures inside, so that it can be looked at anywhere. */
function htmlOf(message: InboxMessage, files: ReadonlyMap<string, InboxFile>): string {
  const dataUrl = (id: string): string | null => {
    const file = files.get(id);
    if (file === undefined) return null;
    return `data:${file.type};base64,${Buffer.from(file.bytes).toString("base64")}`;
  };
  if (message.kind === "slack") return renderSlackMessage(message.blocks, message.text, dataUrl);
  return (message.pictures ?? []).reduce(
    (html, { cid, file }) => html.replaceAll(`cid:${cid}`, dataUrl(file) ?? ""),
    message.html ?? "",
  );
}

/** What a reader reads: an email with its subject, a Slack message without the markup of its blocks. */
function readableText(message: InboxMessage): string {
  if (message.kind === "email") return `${message.subject}\n\n${message.text ?? ""}`;
  if (message.blocks.length === 0) return plain(message.text);
  return message.blocks
    .map((block) => textsIn(block).map(plain).join("\n"))
    .filter((text) => text !== "")
    .join("\n");
}

/** All texts of a block, in order; buttons in brackets. */
function textsIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(textsIn);
  if (typeof part !== "object" || part === null) return [];
  const fields = part as Readonly<Record<string, unknown>>;
  if (typeof fields["text"] === "string") return [fields["text"]];
  const inner = ["text", "fields", "elements", "accessory"].flatMap((name) => textsIn(fields[name]));
  return fields["type"] === "button" ? inner.map((label) => `[${label}]`) : inner;
}

function plain(mrkdwn: string): string {
  return mrkdwn.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** A server that takes any request. */
async function startServer(
  onBody: (body: string) => void,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      onBody(Buffer.concat(parts).toString("utf8"));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
