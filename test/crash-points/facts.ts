import { createHash } from "node:crypto";
import { SECOND } from "../../src/lib/instant.ts";
import { countStale } from "../../src/monitor/store/count-mentions.ts";
import type { Database } from "../../src/monitor/store/database.ts";
import { readAccount } from "./account-facts.ts";
import type { Sandbox } from "./sandbox.ts";

/** The state after a chapter: lines that can be compared, and how many mails and posts came again under one key. */
export interface Ending {
  readonly lines: readonly string[];
  readonly repeated: number;
}

/**
 * Reads every fact and every message that a reader sees, and makes equal what may differ between runs: ids are replaced
 * by what they refer to; message ids of vendors, wall times, leases, numbers of tries and failures that a retry fixed
 * are left out; a mail that came twice under one Message-ID is one mail, and is counted, and so is a post to a webhook; somebody
 * whose request was interrupted asks again.
 */
export async function readEnding(sandbox: Sandbox, { db, pool }: Database): Promise<Ending> {
  // Mentions are counted within a minute: a story that took longer has counted more of them so far.
  await countStale(db);
  const ask = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];
  const tables = (
    await ask(`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'earshot' and c.relkind in ('r', 'p') and not c.relispartition order by 1`)
  ).map(({ name }) => String(name));
  const rows = new Map<string, readonly Row[]>();
  for (const table of tables.filter((name) => !NO_FACTS.has(name)))
    rows.set(
      table,
      (await ask(`select to_jsonb(t) as row from earshot."${table}" t`)).map(({ row }) => row as Row),
    );
  const nameIds = namesOfIds(rows);
  const facts = [...rows].flatMap(([table, its]) => {
    const lines = its
      .filter((row) => table !== "deliveries" || row["outcome"] === "sent")
      .map((row) => `${table}: ${nameIds(JSON.stringify(bare(table, row)))}`);
    return table === "forget_requests" ? [...new Set(lines)] : lines;
  });
  const { mails, repeated } = await mailsOf(sandbox);
  const posted = postedTo(sandbox);
  const messages = [...(await slackOf(sandbox)), ...mails, ...posted.lines].map(nameIds);
  const coverage = (await ask(COVERAGE)).map((row) => `coverage: ${JSON.stringify(row)}`);
  return {
    lines: [...facts, ...coverage, ...messages, ...(await readAccount(ask))].sort(),
    repeated: repeated + posted.repeated,
  };
}

type Row = Readonly<Record<string, unknown>>;

/** Secrets, the work of the moment, what a vendor or the wall's clock had to say, and how far a plan has come. */
const NO_FACTS = new Set([
  ...["migrations", "migration_lock", "kysely_migration", "kysely_migration_lock"],
  ...[
    "tokens",
    "settings",
    "channel_limits",
    "failures",
    "pulses",
    "outages",
    "budgets",
    "budget_slots",
    "inbox",
    "inbox_files",
  ],
  // Each poll records what it saw, and a repeated one records it again: see `COVERAGE`.
  "coverage",
  // About the source, not about mentions: more calls observe more, and what a death loses is learnt again.
  "server_quirks",
  "arrival_rates",
  "query_groups",
]);

const OF_THE_MOMENT =
  /_wall$|^(lease|seq|attempts?|attempts_before|failures|last_error|next_poll_at|own_call|taken_at|content_version)$/;

function bare(table: string, row: Row): Row {
  const kept = Object.entries(row).filter(([key]) => !OF_THE_MOMENT.test(key));
  const known = Object.fromEntries(kept);
  if (table === "notifications" && isRow(known["vendor_ref"]))
    // The subject goes where somebody deleted what it may name: also if the mail was sent without it.
    known["vendor_ref"] = Object.keys(known["vendor_ref"])
      .filter((name) => name !== "subject")
      .sort();
  if (table === "deliveries") known["detail"] = undefined;
  // A hash of the state that the message shows, which is compared itself.
  if (table === "alert_messages") known["shown"] = known["shown"] !== "";
  // A hash with the secret of an installation. A page that comes meanwhile forgets for the request, and nobody counts it.
  if (table === "forget_requests")
    for (const name of ["asked", "mentions", "alerts", "files"]) known[name] = undefined;
  // A list of groups that is stored again asks for the same again, from a millisecond before.
  if (table === "polls" && typeof known["reread_from"] === "string")
    known["reread_from"] = Math.ceil(Date.parse(known["reread_from"]) / SECOND) * SECOND;
  // The cursor of `tryTail`, before the next poll; nothing depends on it.
  if (table === "polls" && isRow(known["state"])) known["state"] = { ...known["state"], tail: undefined };
  return known;
}

/** Up to when each query was read, and how much is known to be missing, however many polls it took. */
const COVERAGE = `select query_id, poll, max(until_at) as until, max(gap) as gap
  from earshot.coverage group by query_id, poll`;

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null;
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Alerts by rule, labels and opening; notifications by kind, receiver and subject; silences by their beginning. */
function namesOfIds(rows: ReadonlyMap<string, readonly Row[]>): (text: string) => string {
  const names = new Map<string, string>();
  const put = (table: string, name: (row: Row) => string): void => {
    for (const row of rows.get(table) ?? []) names.set(String(row["id"]), name(row));
  };
  put(
    "alerts",
    ({ rule, labels, opened_at: at }) =>
      `<alert ${rule} ${JSON.stringify(labels).replaceAll('"', "'")} ${at}>`,
  );
  put("silences", ({ starts_at: at }) => `<silence ${at}>`);
  put("dead_letters", ({ kind, resource_id: id, at }) => `<dead letter ${kind} ${id} ${at}>`);
  put(
    "notifications",
    ({ receiver, kind, alert_id: id, digest_date: date, created_at: at }) =>
      `<${kind} to ${receiver} about ${names.get(String(id)) ?? date} ${at}>`,
  );
  return (text) => text.replaceAll(ID, (id) => names.get(id) ?? "<id>");
}

async function slackOf({ slack }: Sandbox): Promise<string[]> {
  const messages = await slack.messages();
  const bytesOf = new Map<string, string>();
  for (const [id] of JSON.stringify(messages).matchAll(FILE_ID)) {
    const bytes = await slack.file(id);
    bytesOf.set(id, bytes === null ? "<file>" : createHash("sha256").update(bytes).digest("base64url"));
  }
  const textOf = new Map(messages.map(({ ts, text }) => [ts, text]));
  const placeOf = numbered();
  return messages.map(({ channelName, threadTs, text, blocks, metadata, files = [] }) => {
    // The details of a message are posted after it, beside what others say in its thread.
    const place = threadTs === null || isDetails(metadata) ? "" : ` as number ${placeOf(threadTs)}`;
    const thread =
      threadTs === null ? "" : `${place} in the thread of "${textOf.get(threadTs) ?? "nothing"}"`;
    const shown = JSON.stringify([...blocks, ...files]).replaceAll(
      FILE_ID,
      (id) => bytesOf.get(id) ?? "<file>",
    );
    return `slack #${channelName}${thread}: ${text} ${JSON.stringify(metadata)} ${shown}`;
  });
}

/** Within the quotes of JSON. */
const FILE_ID = /(?<=")F0[0-9A-F]{10}(?=")/g;

function isDetails(metadata: unknown): boolean {
  return JSON.stringify(metadata ?? null).includes('"part":"details"');
}

/** Counts those of each thread. */
function numbered(): (thread: string) => number {
  const counts = new Map<string, number>();
  return (thread) => {
    const place = (counts.get(thread) ?? 0) + 1;
    counts.set(thread, place);
    return place;
  };
}

/** What signs a link is made for each installation. */
const SIGNED = /(unsubscribe|act)\/[\w.-]+/g;
/** What mail programs read: whom it answers, who sends it, what an unsubscription is. */
const HEADERS = /^(from|to|reply-to|in-reply-to|references|list-|auto-submitted|precedence|x-)/;
const FOLD = /\r\n[ \t]+/g;
/** Made of ids, which differ. */
const MESSAGE_ID = /<[0-9a-f]{32}@[^>]+>/g;

async function mailsOf({ smtp }: Sandbox): Promise<{ mails: string[]; repeated: number }> {
  const seen = new Map<string, string>();
  const placeOf = numbered();
  const subjects = new Map(smtp.mails.map(({ parsed }) => [parsed.messageId, `<mail "${parsed.subject}">`]));
  let repeated = 0;
  for (const { to, parsed } of smtp.mails) {
    const known = seen.get(`${to.join()} ${parsed.messageId}`);
    if (known !== undefined) {
      repeated += 1;
      continue;
    }
    const headers = parsed.headerLines
      .filter(({ key }) => HEADERS.test(key))
      .map(({ line }) => line.replaceAll(FOLD, " "))
      .sort();
    const files = parsed.attachments.map(({ filename, contentType, cid, checksum }) => [
      ...[filename, contentType, cid, checksum],
    ]);
    const [root = parsed.messageId] = [parsed.references ?? []].flat();
    const place = `number ${placeOf(`${to.join()} ${root}`)} of its thread`;
    const line = `mail to ${to.join()}, ${place}: ${parsed.subject} ${JSON.stringify([...headers, ...files])} ${parsed.text} ${parsed.html}`;
    const named = line.replaceAll(MESSAGE_ID, (id) => subjects.get(id) ?? "<no mail>");
    seen.set(`${to.join()} ${parsed.messageId}`, named.replaceAll(SIGNED, "$1/…"));
  }
  return { mails: [...seen.values()], repeated };
}

/** What the server behind the webhook reads: of posts with one key the first. */
function postedTo({ hook }: Sandbox): { lines: string[]; repeated: number } {
  const first = new Map<string, string>();
  for (const { headers, body } of hook.requests) {
    const key = String(headers["idempotency-key"]);
    if (!first.has(key)) first.set(key, `webhook ${key}: ${body}`);
  }
  return { lines: [...first.values()], repeated: hook.requests.length - first.size };
}

/** Lines that only one of the two has, with a mark in front. Pure. */
export function differences(wanted: readonly string[], found: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of wanted) left.set(line, (left.get(line) ?? 0) + 1);
  const more: string[] = [];
  for (const line of found) {
    const times = left.get(line) ?? 0;
    if (times === 0) more.push(`+ ${line}`);
    else left.set(line, times - 1);
  }
  const less = [...left].flatMap(([line, times]) => Array.from({ length: times }, () => `- ${line}`));
  return [...less, ...more];
}
