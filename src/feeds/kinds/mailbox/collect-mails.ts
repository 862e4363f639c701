import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type FetchMessageObject, ImapFlow, type ImapFlowOptions, type MailboxObject } from "imapflow";
import { z } from "zod";
import { codeOf } from "../../../lib/errors.ts";
import { DAY, type Instant, SECOND } from "../../../lib/instant.ts";
import { isPrivateAddress } from "../../../lib/public-agent.ts";
import { plainLine } from "../../../lib/text.ts";
import type { CollectParts, FeedItem, FeedRead } from "../../common/define-feed.ts";
import { FeedError, UnreadableError } from "../../common/feed-error.ts";
import type { ReceivedMail } from "../../common/mail.ts";

interface MailboxSettings {
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
  /** When the mails got other numbers the last time. */
  renumberedAt: z.number().exactOptional(),
  /** A mail that could not be read, and how often. */
  stuck: z.object({ uid: z.int(), tries: z.int() }).exactOptional(),
});

/** A new mailbox, or one whose mails have other numbers now, is read from this far back. */
const FIRST_BACKLOG_MS = 7 * DAY;
/** Of one mail; its text stands before what is attached. */
const MOST_BYTES = 1_000_000;
/** In one go; if there are more, the next follows at once. */
const MOST_MAILS = 50;
const MOST_BYTES_AT_ONCE = 5 * MOST_BYTES;
/** Of a mail that the server does not give. */
const MOST_TRIES = 3;
/** Numbers of mails have 32 bits. */
const LARGEST_UID = 2 ** 32 - 1;
/** Silences that all of one reading may last: a server that sends a byte now and then is never silent. */
const MOST_SILENCES = 4;
/** Bytes that an answer without a mail may have, however many lines it is made of. */
const MOST_ANSWER = 5_000_000;
/** Addresses of a name that are tried. */
const MOST_ADDRESSES = 4;

/**
 * Reads the mails that came since the cursor, and changes nothing in the mailbox. Throws a FeedError if it cannot be
 * read. The server is not kept waiting while mails are read.
 */
export async function collectMails(
  settings: MailboxSettings,
  stored: unknown,
  parts: CollectParts,
): Promise<FeedRead> {
  const { mails, cursor, more, problem } = await fetchMails(settings, stored, parts);
  const items: FeedItem[] = [];
  const problems = problem === null ? [] : [problem];
  for (const { uid, mail } of mails) {
    await parts.hold();
    const read = await itemsOf(mail, `mail ${cursor.validity} ${uid}`, parts);
    if (typeof read === "string") problems.push(`mail number ${uid} was left out: ${read}`);
    else items.push(...read);
  }
  const why = problems[0] === undefined ? {} : { problem: problems[0] };
  return { items, deletes: [], cursor, more, ...why };
}

interface MailFetch {
  readonly mails: readonly { readonly uid: number; readonly mail: ReceivedMail }[];
  readonly cursor: z.output<typeof Cursor>;
  readonly more: boolean;
  readonly problem: string | null;
}

async function fetchMails(
  settings: MailboxSettings,
  stored: unknown,
  parts: CollectParts,
): Promise<MailFetch> {
  const { imap } = settings;
  const { client, guard } = await connect(settings, parts);
  let lost: unknown = null;
  const hold = (): Promise<void> =>
    parts.hold().catch((error: unknown) => {
      lost = error;
      throw error;
    });
  const failureOf = (error: unknown): FeedError => guard.why() ?? toFeedError(error, imap);
  try {
    // EXAMINE: the server changes nothing, not even the mark of what is new.
    const folder = await client.mailboxOpen(imap.folder, { readOnly: true });
    const numbering = numberingOf(stored, folder, parts.now);
    const { known, isRenumbered, isUnsteady } = numbering;
    guard.allow(MOST_ANSWER);
    const found = folder.exists === 0 ? [] : await newMails(client, known?.uid ?? null, numbering.since);
    // Whoever numbers them anew all the time would be read from the beginning all the time.
    const uids = isUnsteady ? found.slice(-MOST_MAILS) : found;
    const renumberedAt = isRenumbered ? parts.now : known?.renumberedAt;
    const cursor = {
      ...{ validity: numbering.validity, at: parts.now },
      ...(renumberedAt === undefined ? {} : { renumberedAt }),
    };
    const problem = isUnsteady ? UNSTEADY : null;
    const mails: MailFetch["mails"][number][] = [];
    // Before the first of a new mailbox nothing is wanted, even if that one cannot be read.
    let last = known?.uid ?? (uids[0] ?? 1) - 1;
    let bytes = 0;
    for (const [index, uid] of uids.entries()) {
      if (index >= MOST_MAILS || bytes >= MOST_BYTES_AT_ONCE)
        return { mails, cursor: { ...cursor, uid: last }, more: !isUnsteady, problem };
      await hold();
      guard.allow(MOST_ANSWER);
      const mail = await fetchMail(client, uid, settings, parts.now).catch((error: unknown) => {
        if (parts.signal.aborted) throw parts.signal.reason;
        return failureOf(error);
      });
      if (mail instanceof FeedError) {
        // One mail must not stop all that come after it.
        const tries = known?.stuck?.uid === uid ? known.stuck.tries + 1 : 1;
        const left = { uid: tries < MOST_TRIES ? last : uid, stuck: { uid, tries } };
        const why = `mail number ${uid} cannot be read: ${mail.message}`;
        return { mails, cursor: { ...cursor, ...left }, more: false, problem: why };
      }
      if (mail !== null) mails.push({ uid, mail });
      bytes += mail?.source.length ?? 0;
      last = uid;
    }
    // What came before the first look is left out for good, even if nothing has come since.
    if (known === null && uids.length === 0) last = Math.max(0, (folder.uidNext || 1) - 1);
    return { mails, cursor: { ...cursor, uid: last }, more: false, problem };
  } catch (error) {
    if (lost !== null) throw lost;
    if (parts.signal.aborted) throw parts.signal.reason;
    throw failureOf(error);
  } finally {
    guard.end();
    await leave(client);
  }
}

/** The items of a mail, or why it is left out: one mail must not stop all that come after it. */
async function itemsOf(
  mail: ReceivedMail,
  name: string,
  { signal, beginReading, readMail }: CollectParts,
): Promise<readonly FeedItem[] | string> {
  // The process may have been ended by something else once.
  if ((await beginReading(name)) > 2) return "the process ended twice while it was read";
  try {
    return await readMail(mail, signal);
  } catch (error) {
    if (error instanceof UnreadableError) return error.message;
    throw error;
  }
}

const UNSTEADY = `it numbers its mails anew again and again: of the last day only the newest ${MOST_MAILS} are read`;

/**
 * Whether the numbers of the last reading are still those of the folder. If not, it is read from some days back; a
 * second time within a day from a day back.
 */
function numberingOf(stored: unknown, folder: Pick<MailboxObject, "uidValidity" | "uidNext">, now: Instant) {
  const read = Cursor.safeParse(stored);
  const before = read.success ? read.data : null;
  const validity = String(folder.uidValidity).slice(0, 20);
  // The next number is larger than all that were ever given.
  const isPossible = before === null || !(folder.uidNext > 0) || before.uid < folder.uidNext;
  const isRenumbered = before !== null && (before.validity !== validity || !isPossible);
  const isUnsteady = isRenumbered && now - (before.renumberedAt ?? Number.NEGATIVE_INFINITY) < DAY;
  const since = Math.min(now - (isUnsteady ? DAY : FIRST_BACKLOG_MS), (before?.at ?? now) - DAY);
  return { validity, known: isRenumbered ? null : before, isRenumbered, isUnsteady, since };
}

/** Ends a connection that lasts too long, or brings more than was asked for. */
interface Guard {
  /** So many bytes may come from here on. */
  allow(bytes: number): void;
  /** Why it has ended the connection. */
  why(): FeedError | null;
  end(): void;
}

function guardConnection(client: ImapFlow, { signal, timeoutMs }: CollectParts): Guard {
  const mostMs = MOST_SILENCES * timeoutMs;
  let why: FeedError | null = null;
  let allowed = MOST_ANSWER;
  const endWith = (problem: string): void => {
    why ??= new FeedError(problem);
    client.close();
  };
  const stop = (): void => client.close();
  signal.addEventListener("abort", stop);
  const late = setTimeout(endWith, mostMs, `it was not done within ${Math.round(mostMs / SECOND)} s`);
  const look = setInterval(() => {
    if (client.stats().received > allowed) endWith("it sends more than it was asked for");
  }, LOOK_EVERY_MS);
  return {
    allow: (bytes) => {
      allowed = client.stats().received + bytes;
    },
    why: () => why,
    end() {
      signal.removeEventListener("abort", stop);
      clearTimeout(late);
      clearInterval(look);
    },
  };
}

const LOOK_EVERY_MS = 100;

async function connect(
  settings: MailboxSettings,
  parts: CollectParts,
): Promise<{ readonly client: ImapFlow; readonly guard: Guard }> {
  const { imap, allowPrivateAddress } = settings;
  if (imap.encryption === "none" && !allowPrivateAddress)
    throw new FeedError(
      "without encryption only a server on this machine is asked; set allowPrivateAddress: true",
    );
  const addresses = await resolve(imap.host, allowPrivateAddress);
  for (const [index, address] of addresses.entries()) {
    const client = createClient(imap, address, parts.timeoutMs);
    const guard = guardConnection(client, parts);
    try {
      await client.connect();
      allowLines(client, 2 * MOST_BYTES);
      return { client, guard };
    } catch (error) {
      guard.end();
      client.close();
      if (parts.signal.aborted) throw parts.signal.reason;
      const isNext =
        index + 1 < addresses.length && UNREACHABLE.has(codeOf(error) ?? "") && guard.why() === null;
      if (!isNext) throw guard.why() ?? toFeedError(error, imap);
    }
  }
  throw new FeedError("its host name cannot be looked up");
}

/** A name may have an address of each kind, and this machine a way to one of them only. */
const UNREACHABLE = new Set([
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EADDRNOTAVAIL",
  "ECONNREFUSED",
  "CONNECT_TIMEOUT",
]);

function createClient(imap: MailboxSettings["imap"], address: string, timeoutMs: number): ImapFlow {
  const { host, port, user, password, encryption } = imap;
  const options: ImapFlowOptions = {
    ...{ host: address, port, secure: encryption === "tls", doSTARTTLS: encryption === "starttls" },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...{ auth: { user, pass: password }, logger: false, disableAutoIdle: true, disableCompression: true },
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...{ maxLiteralSize: 2 * MOST_BYTES, maxResponseSize: 3 * MOST_BYTES },
    maxLineLength: LONGEST_LINE_BEFORE_LOGIN,
    ...{ maxResponseTokens: 100_000, clientInfo: { name: "Earshot" } },
  };
  const client = new ImapFlow(options);
  // Before it connects: a failure that nobody listens to would end the process.
  client.on("error", () => {});
  return client;
}

/**
 * The library takes the square of the length of what a server asks in a login (docs/adr/fuzz-by-shapes.md). Later the
 * numbers of all mails come in one line.
 */
const LONGEST_LINE_BEFORE_LOGIN = 8_000;

/** It has no option for this: without the field, long lines are refused, and a test says so. */
function allowLines(client: ImapFlow, bytes: number): void {
  const stream: unknown = Reflect.get(client, "streamer");
  if (typeof stream === "object" && stream !== null) Reflect.set(stream, "maxLineLength", bytes);
}

/**
 * Looked up here and connected to by number, so that a name cannot lead elsewhere between check and use. A name with
 * one address inside is refused whole, as everywhere.
 */
async function resolve(host: string, allowPrivateAddress: boolean): Promise<readonly string[]> {
  const found = isIP(host) === 0 ? await lookup(host, { all: true }).catch(() => []) : [{ address: host }];
  if (found.length === 0) throw new FeedError("its host name cannot be looked up");
  if (!allowPrivateAddress && found.some(({ address }) => isPrivateAddress(address)))
    throw new FeedError(
      "it is on this machine or in a private network; allowPrivateAddress: true at the feed allows that",
    );
  return found.slice(0, MOST_ADDRESSES).map(({ address }) => address);
}

/** Numbers of the mails after `uid`, or of those since a day, ascending. */
async function newMails(client: ImapFlow, uid: number | null, since: Instant): Promise<number[]> {
  const query = uid === null ? { since: new Date(since) } : { uid: `${uid + 1}:*` };
  const found = await client.search(query, { uid: true });
  if (!Array.isArray(found)) throw new FeedError("it does not say which mails are new");
  // `5:*` has the last mail even if its number is 3.
  return found.filter((one) => one > (uid ?? 0) && one <= LARGEST_UID).sort((a, b) => a - b);
}

/** One mail, as far as it is wanted; null: it is gone, or of somebody else. */
async function fetchMail(
  client: ImapFlow,
  uid: number,
  settings: MailboxSettings,
  now: Instant,
): Promise<ReceivedMail | null> {
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
    source: new Uint8Array(whole === false ? [] : (whole.source ?? [])),
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
    const entry = one.toLowerCase();
    if (entry.includes("@") && !entry.startsWith("@")) return address === entry;
    const domain = address.slice(address.lastIndexOf("@") + 1);
    const name = entry.replace(/^@/, "");
    return domain === name || domain.endsWith(`.${name}`);
  });
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
  const reply = plainLine(of("responseText"), 200);
  if (Reflect.get(Object(error), "authenticationFailed") === true)
    return new FeedError(
      `it refuses the login${reply === "" ? "" : ` (${reply})`}; many servers want an app password`,
    );
  if (of("serverResponseCode") === "NONEXISTENT" || (of("responseStatus") === "NO" && reply !== ""))
    return new FeedError(`it does not open the folder "${folder}" (${reply})`);
  const words = WORDS[codeOf(error) ?? ""];
  if (words !== undefined) return new FeedError(words);
  const message = error instanceof Error ? error.message : "";
  return new FeedError(`the connection to ${host} failed: ${plainLine(message, 200)}`);
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
