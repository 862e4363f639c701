import {
  COUNTED_SUBJECT,
  type Context,
  type FoundStatement,
  NAME_WITH_DIGITS,
  readLine,
  type Statement,
  type Topic,
} from "./grammar.ts";
import type { Message, Recording } from "./message.ts";
import { quotedAddresses, readMessage } from "./read-message.ts";
import { ALERT_STATEMENTS } from "./statements/alerts.ts";
import { DELIVERY_STATEMENTS } from "./statements/deliveries.ts";
import { DIGEST_STATEMENTS } from "./statements/digests.ts";
import { FINDING_STATEMENTS } from "./statements/findings.ts";
import { INCIDENT_ROWS, INCIDENT_STATEMENTS } from "./statements/incidents.ts";
import { OPERATOR_STATEMENTS } from "./statements/operators.ts";
import { PAGE_STATEMENTS } from "./statements/pages.ts";
import { LENGTH, momentsOf, show, TIME, toLength } from "./times.ts";
import { MINUTE, type Moment, Recount, type World } from "./world.ts";

/** What is wrong in a message, with the line in which it stands. */
export interface Finding {
  readonly kind: "false" | "unexplained" | "dead link" | "after the end";
  /** The kind of statement; null of what no kind explains. */
  readonly statement: string | null;
  readonly place: string;
  readonly at: Moment;
  readonly line: string;
  /** The number or link. */
  readonly said: string;
  /** What the number means, and what was counted. */
  readonly because: string;
}

export interface Report {
  readonly findings: readonly Finding[];
  /** Statements that were recounted, by kind. */
  readonly recounted: ReadonlyMap<string, number>;
  readonly messages: number;
  readonly links: number;
}

/** Reads every message of a recording in order, recounts every number in it, and looks at every link. */
export async function judge(world: World, recording: Recording): Promise<Report> {
  const recount = new Recount(world);
  const names = namesWithDigits(world);
  const topics = new Map<string, Topic>();
  const findings: Finding[] = [];
  const recounted = new Map<string, number>();
  let links = 0;
  const ended = new Set<string>();
  const quoted = quotedAddresses(world.facts.flatMap(({ title, text }) => [title, text]));
  for (const raw of recording.messages) {
    const message = await readMessage(raw);
    const { place, at } = message;
    if (comesAfterTheEnd(message, ended)) {
      const [line = ""] = message.lines;
      const because = "Its thread said before that it is over.";
      findings.push({ kind: "after the end", statement: null, place, at, line, said: line, because });
    }
    for (const { line, found, unknown } of judgeMessage(message, recount, topics, names)) {
      for (const { statement, text, verdict } of found) {
        recounted.set(statement.name, (recounted.get(statement.name) ?? 0) + 1);
        if (verdict !== null)
          findings.push({
            kind: "false",
            statement: statement.name,
            place,
            at,
            line,
            said: text,
            because: `${statement.means} ${capital(verdict)}.`,
          });
      }
      // A page has many numbers that are no sentences: of those only the known ones are recounted.
      if (message.kind !== "page" && message.kind !== "seen")
        for (const said of unknown)
          findings.push({
            kind: "unexplained",
            statement: null,
            place,
            at,
            line,
            said,
            because: "No kind of sentence explains this number.",
          });
    }
    for (const link of message.links) {
      if (quoted.has(link)) continue;
      const answer = recording.answers[link];
      if (answer === undefined) continue;
      links += 1;
      if (!/^[23]\d\d$/.test(answer))
        findings.push({
          kind: "dead link",
          statement: null,
          place,
          at,
          line: link,
          said: link,
          because: `A GET was answered with ${answer}.`,
        });
    }
  }
  return { findings: oncePerSentence(findings), recounted, messages: recording.messages.length, links };
}

/** What says the end, and what says that it is not over after all. */
const END = /^(?:[^\p{L}[]*\[?)(?:already )?resolved\b/iu;
const GOES_ON =
  /\b(?:again|reopened|another wave|day \d+ begins|growing|times as many|new:|now (?:critical|warning))/i;

/** Whether it is a message of its own, and its thread has said the end and nothing new since. Notes what the message says. */
function comesAfterTheEnd({ kind, isEdit, lines, thread }: Message, ended: Set<string>): boolean {
  // A reply without text is the chart of the end.
  if (isEdit || kind === "page" || lines.length === 0) return false;
  const isLate = ended.has(thread);
  if (lines.some((line) => END.test(line))) {
    ended.add(thread);
    return isLate;
  }
  if (!isLate || !lines.some((line) => GOES_ON.test(line))) return isLate;
  ended.delete(thread);
  return false;
}

interface JudgedLine {
  readonly line: string;
  readonly found: readonly FoundStatement[];
  readonly unknown: readonly string[];
}

const DIGEST = new RegExp(`^(?:.*?· )?(${TIME}) to (${TIME})(?:[ ,·]|$)`);

function judgeMessage(
  message: Message,
  recount: Recount,
  topics: Map<string, Topic>,
  names: ReadonlySet<string>,
): readonly JudgedLine[] {
  const { timezone } = recount.world;
  const digest =
    message.kind === "page"
      ? null
      : message.lines.map((line) => DIGEST.exec(line)).find((one) => one !== null);
  const isDigest = digest != null && message.lines.some((line) => /data complete until/.test(line));
  const topic = (message.kind === "page" ? undefined : topics.get(message.thread)) ?? emptyTopic();
  topics.set(message.thread, topic);
  if (isDigest) {
    const [, from = "", to = ""] = digest ?? [];
    topic.since = momentsOf(from, message.at, timezone)[0] ?? null;
    topic.until = momentsOf(to, message.at, timezone)[0] ?? null;
  } else learnTopic(topic, message, recount);
  const kinds = [
    ...[...DELIVERY_STATEMENTS, ...OPERATOR_STATEMENTS],
    ...[...INCIDENT_STATEMENTS, ...FINDING_STATEMENTS, ...ALERT_STATEMENTS],
  ];
  const statements = isDigest
    ? [...INCIDENT_ROWS, ...DIGEST_STATEMENTS, ...kinds]
    : message.kind === "page"
      ? [...PAGE_STATEMENTS, ...kinds]
      : kinds;
  let alert: Topic | null = null;
  // What a page found out is of an earlier time, which it says.
  const counted = message.lines.map((line) => COUNTED.exec(line)).find((one) => one !== null);
  if (counted != null) topic.countedFrom = momentsOf(counted[1] ?? "", message.at, timezone)[0] ?? null;
  const [countedTo = message.at] =
    counted == null || topic.countedFrom === null
      ? []
      : momentsOf(counted[2] ?? "", topic.countedFrom, timezone).filter((one) => one <= message.at);
  const read = (line: string, own: Topic, whole: string): JudgedLine => {
    const brand = brandIn(line, recount.world.brands) ?? own.brand;
    const said = FINDINGS.test(line)
      ? { ...message, at: Math.min(message.at, countedTo + 10 * MINUTE) }
      : message;
    const begun = [...topics.values()]
      .filter((other) => other !== topic && other.brand === brand)
      .flatMap(({ since }) => since ?? []);
    const context: Context = {
      ...{ recount, message: said, line, topic: own, brand, whole },
      ...{ begun, said: new Map() },
    };
    return { line, ...readLine(statements as readonly Statement[], context, names) };
  };
  const parts = message.lines.flatMap((whole) => byBrand(whole).map((line) => ({ line, whole })));
  const lines = parts.map(({ line, whole }) => {
    // A line about another alert, and the line below it, have a topic of their own.
    const began = isDigest ? isAlertOfDigest(line, recount.world.brands) : isOther(line);
    if (began)
      alert = {
        ...emptyTopic(),
        // The alerts of an incident are alerts of its brand.
        brand: brandIn(line, recount.world.brands) ?? (isDigest ? null : topic.brand),
        // A time without a day is of the day that the message says first.
        ...timesIn(line, isDigest ? message.at : (topic.since ?? message.at), timezone),
      };
    else if (alert !== null && !isDigest) alert = null;
    const own = alert ?? topic;
    if (alert !== null && alert.since === null && isDigest)
      Object.assign(alert, timesIn(line, message.at, timezone), { until: alert.until });
    const judged = read(line, own, whole);
    if (!began && isDigest) alert = null;
    return judged;
  });
  const quotes = message.quotes.map(({ heading }) =>
    read(heading, { ...emptyTopic(), since: topic.since }, heading),
  );
  return [...lines, ...quotes];
}

/** Of an incident of several brands each is counted in a sentence of its own: "… until 12:20. Brell, too: 320 …". */
function byBrand(line: string): readonly string[] {
  return line.split(/\. (?=[^.:]{1,60}, too: \d)/);
}

/** The line of a page that says of which time its findings are, and those findings. */
const COUNTED = new RegExp(`^from (${TIME}) to (${TIME})$`);
const FINDINGS = /\d authors?\b|^all by |% of all mentions negative|% \(usually |repeat another text/;

/** The first of two lines about an alert in a digest. */
function isAlertOfDigest(line: string, brands: readonly string[]): boolean {
  return /\b(?:critical|warning|info)\b/i.test(line) && brandIn(line, brands) !== null;
}

/** `11:15 Wave of negative mentions`, `11:20 An influential account: …`: how the HTML of a mail lists the alerts of an incident. */
const JOINED = new RegExp(`^(?:${TIME}) [A-Z][^:]{1,80}(?:: |$)`);

/** `• resolved: Acme, …`, `- WARNING, Acme, …`, `• 11:15 Everybody talks about the brand`. */
const OTHER = new RegExp(`^[•-] (?:[Rr]esolved: |CRITICAL|WARNING|INFO|${TIME})`);

/** A line of the list of other alerts. */
function isOther(line: string): boolean {
  return OTHER.test(line) || JOINED.test(line);
}

function timesIn(line: string, at: Moment, timezone: string): Pick<Topic, "since" | "until"> {
  const time = new RegExp(TIME).exec(line)?.[0];
  const since = time === undefined ? null : (momentsOf(time, at, timezone)[0] ?? null);
  const length = new RegExp(`resolved after (${LENGTH})`).exec(line)?.[1];
  return { since, until: since === null || length === undefined ? null : since + toLength(length) };
}

const COUNT = new RegExp(`(\\d[\\d,]*) (${COUNTED_SUBJECT}) in (\\d+ (?:min|h|d)(?: \\d+ min)?)`);

/** Reads in all lines what the message is about, before any number is judged: an order of lines is no order of sense. */
function learnTopic(topic: Topic, message: Message, recount: Recount): void {
  const { timezone, brands } = recount.world;
  if (message.lines.some((line) => /another wave/i.test(line))) topic.waveAt = message.at;
  let isLed = message.kind === "page" && topic.subject !== null;
  for (const line of message.lines.flatMap((one) => byBrand(one).slice(0, 1))) {
    topic.brand ??= brandIn(line, brands);
    const since = new RegExp(
      `(?:^|[^g] |· |\\. )(?:Since|From) (${TIME})|^(?:critical|warning|info) since (${TIME})`,
    )
      .exec(line)
      ?.slice(1)
      .find(Boolean);
    if (topic.since === null && since !== undefined)
      topic.since = momentsOf(since, message.at, timezone)[0] ?? null;
    const span = new RegExp(
      `((?:negative )?mentions?)(?: of [\\d,]+ in all)? from (${TIME}) to (${TIME})`,
    ).exec(line);
    if (span !== null) {
      const [, subject = "", from = "", to = ""] = span;
      topic.subject ??= subject;
      topic.countedFrom = momentsOf(from, message.at, timezone)[0] ?? topic.countedFrom;
      topic.countedTo = momentsOf(to, topic.countedFrom ?? message.at, timezone)[0] ?? null;
    }
    const share = /% of [\d,]+ mentions in (\d+ (?:min|h)) are (negative|positive|neutral)/.exec(line);
    const counted = COUNT.exec(line);
    if ((share === null && counted === null) || isOther(line)) continue;
    const subject = share === null ? counted?.[2] : `${share[2]} mentions`;
    // What is said first is about the most severe alert of an incident, which may have changed.
    if (subject !== undefined && !isLed) topic.subject = subject;
    isLed = true;
    if (share !== null) topic.widthMs ??= toLength(share[1] ?? "");
    if (counted !== null) topic.widthMs = Math.max(topic.widthMs ?? 0, toLength(counted[3] ?? ""));
  }
  const after = message.lines
    .map((line) => new RegExp(`[Rr]esolved,? after (${LENGTH})`).exec(line)?.[1])
    .find(Boolean);
  if (after === undefined) topic.until = null;
  else if (topic.since !== null) topic.until = topic.since + toLength(after);
}

function emptyTopic(): Topic {
  return {
    brand: null,
    subject: null,
    since: null,
    countedFrom: null,
    countedTo: null,
    waveAt: null,
    until: null,
    lastedMs: null,
    author: null,
    widthMs: null,
    peaks: [],
    chances: [],
  };
}

function brandIn(line: string, brands: readonly string[]): string | null {
  return brands.find((brand) => line.includes(brand)) ?? null;
}

/** Words with digits in names of people, sites, hashtags and topics: those digits are no numbers of ours. */
function namesWithDigits(world: World): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { author, name, site, domain, hashtags, categories } of world.facts)
    for (const one of [author, name, site, domain, ...hashtags, ...categories])
      for (const word of one?.match(NAME_WITH_DIGITS) ?? []) words.add(word);
  return words;
}

/** A mail says a sentence in its text and again in its HTML. */
function oncePerSentence(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ kind, place, at, said, because }) => {
    const key = `${kind}\n${place}\n${at}\n${said}\n${because}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Findings as lines for people. */
export function formatFindings(findings: readonly Finding[], timezone: string): string {
  return findings
    .map(({ kind, place, at, line, said, because }) =>
      [`${kind.toUpperCase()}  ${show(at, timezone)}  ${place}`, `  ${line}`, `  "${said}": ${because}`].join(
        "\n",
      ),
    )
    .join("\n");
}
