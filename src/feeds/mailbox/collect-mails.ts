import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type FetchMessageObject, ImapFlow, type ImapFlowOptions } from "imapflow";
import { simpleParser } from "mailparser";
import { z } from "zod";
import { DAY, type Instant, SECOND } from "../../lib/instant.ts";
import { isPrivateAddress } from "../../lib/public-agent.ts";
import { type CollectParts, FeedError, type FeedItem, type FeedRead } from "../common/define-feed.ts";
import { itemsOfMail, type Mail } from "./items-of-mail.ts";

export interface MailboxSettings {
  readonly imap: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly folder: string;
    readonly encryption: "tls" | "starttls" | "none";
  };
  readonly from?: readonly string[];
  readonly allowPrivateAddress: boolean;
}

/** `uid`: the last mail that was read, valid as long as the folder has the same UIDVALIDITY. */
const Cursor = z.object({
  validity: z.string(),
  uid: z.int(),
  at: z.number(),
  /** A mail that could not be read, and how often. */
  stuck: z.object({ uid: z.int(), tries: z.int() }).nullish(),
});

/** A new mailbox, or one whose mails have other numbers now, is read from this far back. */
const FIRST_BACKLOG_MS = 7 * DAY;
/** Of one mail; its text stands before what is attached. */
const MOST_BYTES = 1_000_000;
/** In one go; if there are more, the next follows at once. */
const MOST_MAILS = 50;
/** Of a mail that the server does not give. */
const MOST_TRIES = 3;
const PARSE_MS = 10 * SECOND;

/**
 * Reads the mails that came since the cursor, and changes nothing in the mailbox. Throws a FeedError if it cannot be
 * read.
 */
export async function collectMails(
  settings: MailboxSettings,
  stored: unknown,
  parts: CollectParts,
): Promise<FeedRead> {
  const { imap } = settings;
  const client = await connect(settings, parts);
  const stop = (): void => client.close();
  parts.signal.addEventListener("abort", stop);
  let lost: unknown = null;
  const hold = (): Promise<void> =>
    parts.hold().catch((error: unknown) => {
      lost = error;
      throw error;
    });
  try {
    // EXAMINE: the server changes nothing, not even the mark of what is new.
    const folder = await client.mailboxOpen(imap.folder, { readOnly: true });
    const validity = String(folder.uidValidity);
    const read = Cursor.safeParse(stored);
    const known = read.success && read.data.validity === validity ? read.data : null;
    const since = Math.min(parts.now - FIRST_BACKLOG_MS, read.success ? read.data.at - DAY : parts.now);
    const uids = folder.exists === 0 ? [] : await newMails(client, known?.uid ?? null, since);
    const items: FeedItem[] = [];
    let last = known?.uid ?? 0;
    for (const uid of uids.slice(0, MOST_MAILS)) {
      await hold();
      const mail = await readMail(client, uid, settings, parts.now).catch((error: unknown) => {
        if (parts.signal.aborted) throw parts.signal.reason;
        return toFeedError(error, imap);
      });
      if (mail instanceof FeedError) {
        // One mail must not stop all that come after it.
        const tries = known?.stuck?.uid === uid ? known.stuck.tries + 1 : 1;
        const cursor = {
          validity,
          uid: tries < MOST_TRIES ? last : uid,
          at: parts.now,
          stuck: { uid, tries },
        };
        return { items, deletes: [], cursor, problem: `mail number ${uid} cannot be read: ${mail.message}` };
      }
      if (mail !== null) items.push(...itemsOfMail(mail));
      last = uid;
    }
    // What came before the first look is left out for good, even if nothing has come since.
    if (known === null && uids.length === 0) last = Math.max(0, (folder.uidNext || 1) - 1);
    return {
      ...{ items, deletes: [], more: uids.length > MOST_MAILS },
      cursor: { validity, uid: last, at: parts.now },
    };
  } catch (error) {
    if (lost !== null) throw lost;
    if (parts.signal.aborted) throw parts.signal.reason;
    throw toFeedError(error, imap);
  } finally {
    parts.signal.removeEventListener("abort", stop);
    await leave(client);
  }
}

async function connect(settings: MailboxSettings, { signal, timeoutMs }: CollectParts): Promise<ImapFlow> {
  const { imap, allowPrivateAddress } = settings;
  const { host, port, user, password, encryption } = imap;
  if (encryption === "none" && !allowPrivateAddress)
    throw new FeedError(
      "without encryption only a server on this machine is asked; set allowPrivateAddress: true",
    );
  const address = await resolve(host, allowPrivateAddress);
  const options: ImapFlowOptions = {
    ...{ host: address, port, secure: encryption === "tls", doSTARTTLS: encryption === "starttls" },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...{ auth: { user, pass: password }, logger: false, disableAutoIdle: true, disableCompression: true },
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...{ maxLiteralSize: 2 * MOST_BYTES, maxResponseSize: 3 * MOST_BYTES, maxLineLength: 2 * MOST_BYTES },
    ...{ maxResponseTokens: 100_000, clientInfo: { name: "Earshot" } },
  };
  const client = new ImapFlow(options);
  // Before it connects: a failure that nobody listens to would end the process.
  client.on("error", () => {});
  const stop = (): void => client.close();
  signal.addEventListener("abort", stop);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.close();
    if (signal.aborted) throw signal.reason;
    throw toFeedError(error, imap);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Looked up here and connected to by number, so that a name cannot lead elsewhere between check and use. */
async function resolve(host: string, allowPrivateAddress: boolean): Promise<string> {
  const found = isIP(host) === 0 ? await lookup(host).catch(() => null) : { address: host };
  if (found === null) throw new FeedError("its host name cannot be looked up");
  if (!allowPrivateAddress && isPrivateAddress(found.address))
    throw new FeedError(
      "it is on this machine or in a private network; allowPrivateAddress: true at the feed allows that",
    );
  return found.address;
}

/** Numbers of the mails after `uid`, or of those since a day, ascending. */
async function newMails(client: ImapFlow, uid: number | null, since: Instant): Promise<number[]> {
  const query = uid === null ? { since: new Date(since) } : { uid: `${uid + 1}:*` };
  const found = await client.search(query, { uid: true });
  if (!Array.isArray(found)) throw new FeedError("it does not say which mails are new");
  // `5:*` has the last mail even if its number is 3.
  return found.filter((one) => one > (uid ?? 0)).sort((a, b) => a - b);
}

/** One mail, as far as it is wanted; null: it is gone, or of somebody else. */
async function readMail(
  client: ImapFlow,
  uid: number,
  settings: MailboxSettings,
  now: Instant,
): Promise<Mail | null> {
  const head = await client.fetchOne(
    String(uid),
    { uid: true, envelope: true, internalDate: true },
    { uid: true },
  );
  if (head === false || !isWanted(addressOf(head), settings.from)) return null;
  const whole = await client.fetchOne(
    String(uid),
    { uid: true, source: { maxLength: MOST_BYTES } },
    { uid: true },
  );
  const received = head.internalDate === undefined ? now : new Date(head.internalDate).getTime();
  const from = head.envelope?.from?.[0];
  return {
    ...(await textsOf(whole === false ? undefined : whole.source)),
    messageId: head.envelope?.messageId?.trim() || null,
    from: from?.address === undefined ? null : { address: addressOf(head), name: from.name ?? "" },
    subject: head.envelope?.subject ?? null,
    receivedAt: Number.isFinite(received) ? Math.min(received, now) : now,
  };
}

function addressOf({ envelope }: FetchMessageObject): string {
  return (envelope?.from?.[0]?.address ?? "").trim().toLowerCase();
}

function isWanted(address: string, from: readonly string[] | undefined): boolean {
  if (from === undefined) return true;
  return from.some((one) => {
    const wanted = one.toLowerCase();
    if (wanted.includes("@") && !wanted.startsWith("@")) return address === wanted;
    const domain = address.slice(address.lastIndexOf("@") + 1);
    const name = wanted.replace(/^@/, "");
    return domain === name || domain.endsWith(`.${name}`);
  });
}

/** Text and HTML of a mail, whatever its structure. A mail that its parser never ends is its subject alone. */
async function textsOf(source: Buffer | undefined): Promise<Pick<Mail, "html" | "text">> {
  if (source === undefined) return { html: null, text: null };
  const late = new Promise<null>((resolve) => setTimeout(resolve, PARSE_MS, null).unref());
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true, skipTextLinks: true };
  const parsed = await Promise.race([simpleParser(source, options).catch(() => null), late]);
  const html = typeof parsed?.html === "string" && parsed.html.trim() !== "" ? parsed.html : null;
  const text = parsed?.text === undefined || parsed.text.trim() === "" ? null : parsed.text;
  return { html, text };
}

/** An orderly end if the server takes part in it. */
async function leave(client: ImapFlow): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, 2 * SECOND).unref());
  await Promise.race([client.logout().catch(() => {}), late]);
  client.close();
}

function toFeedError(error: unknown, { folder, host }: MailboxSettings["imap"]): FeedError {
  if (error instanceof FeedError) return error;
  const of = (name: string): string => String(Reflect.get(Object(error), name) ?? "");
  const said = of("responseText").replaceAll(/\s+/g, " ").slice(0, 200);
  if (Reflect.get(Object(error), "authenticationFailed") === true)
    return new FeedError(
      `it refuses the login${said === "" ? "" : ` (${said})`}; many servers want an app password`,
    );
  if (of("serverResponseCode") === "NONEXISTENT" || (of("responseStatus") === "NO" && said !== ""))
    return new FeedError(`it does not open the folder "${folder}" (${said})`);
  const words = WORDS[of("code")];
  if (words !== undefined) return new FeedError(words);
  const message = error instanceof Error ? error.message : "";
  return new FeedError(`the connection to ${host} failed: ${message.slice(0, 200)}`);
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing answers at this address (connection refused)",
  ECONNRESET: "the connection broke off",
  NoConnection: "the connection broke off",
  EConnectionClosed: "the connection broke off",
  CONNECT_TIMEOUT: "it cannot be reached in time",
  GREETING_TIMEOUT: "something answers at this address, and it is no IMAP server",
  GREEETING_TIMEOUT: "something answers at this address, and it is no IMAP server",
  ETIMEOUT: "it stopped answering",
  LiteralTooLarge: "it sends more than it was asked for",
  ResponseTooLarge: "it sends more than it was asked for",
  LineTooLarge: "it sends more than it was asked for",
  TooManyTokens: "it sends more than it was asked for",
};
