import { join } from "node:path";
import { seriesOf } from "../../src/monitor/ingest/assess-mention.ts";
import { OWN_QUERY } from "../../src/monitor/model/query.ts";
import { loadRules } from "../../src/monitor/rules/load-rules.ts";
import { isPicture } from "./is-picture.ts";
import type { ActualWorld } from "./ledger.ts";
import { CHARTED } from "./scenario.ts";
import { AUTHOR } from "./stream.ts";
import { CALLS_A_MINUTE, type World } from "./world.ts";

/**
 * Reads what Earshot stored, counted and alerted, and what arrived at the vendors. `problems` null: none were planned.
 */
export async function collect(
  world: World,
  problems: ReadonlyMap<string, number> | null,
): Promise<ActualWorld> {
  const names = new Map([...world.account.queries].map(([name, id]) => [String(id), name]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const ask = async <Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await world.factsPool.query(sql, [...values])).rows as Row[];
  const mentions = await ask<{ query: string; id: string; sentiment: string | null }>(
    "select query_id as query, resource_id as id, sentiment from earshot.mentions",
  );
  const counts = await ask<{ query: string; series: string; n: string }>(
    "select query_id as query, series, sum(n) as n from earshot.counts group by 1, 2",
  );
  const alerts = await ask<{ rule: string; query: string; author: string }>(
    "select rule, query_id as query, labels->>'author' as author from earshot.alerts where query_id <> $1",
    [OWN_QUERY.queryId],
  );
  const scenario = await messagesOfScenario(world);
  const presses = await ask<{ what: string; rule: string }>(
    `select e.what, a.rule from earshot.alert_events e join earshot.alerts a using (project_id) where a.id = e.alert_id
       and e.actor is not null`,
  );
  const seriesNames = await namesOfSeries(join(world.folder, "rules"));
  return {
    mentions: mentions.map(({ query, id, sentiment }) => ({ key: `${nameOf(query)} ${id}`, sentiment })),
    counts: new Map(
      counts.map(({ query, series, n }) => [
        `${seriesNames.get(series) ?? series} ${nameOf(query)}`,
        Number(n),
      ]),
    ),
    alerts: alerts.map(({ rule, query, author }) => `${rule} ${nameOf(query)} ${author}`),
    sent: [
      ...(await messagesOfStream(world)),
      ...scenario.sent,
      ...presses.map(({ what, rule }) => ({ key: `press ${what} ${rule}`, identity: null })),
    ],
    acceptedWithoutAnswer: world.smtp.acceptedWithoutAnswer,
    repeatsExpected: 0,
    repeatedBeside: 0,
    happened: new Map(problems === null ? [] : [...problems, ...scenario.kinds]),
    calls: { most: world.mostCalls(), limit: CALLS_A_MINUTE },
  };
}

/** The tables know series by a hash of what they count; a rule `count-<name>` names its series. */
async function namesOfSeries(folder: string): Promise<Map<string, string>> {
  const { rules } = await loadRules(folder);
  const counting = rules.filter(({ name }) => name.startsWith("count-"));
  return new Map(
    counting.flatMap((rule) => seriesOf([rule]).map(({ key }) => [key, rule.name.replace("count-", "")])),
  );
}

/** As readers see them: the text says what a message is about. */
async function messagesOfStream({ slack, smtp }: World): Promise<ActualWorld["sent"]> {
  // A reply that only adds details to a message is no message of its own.
  const aboutMentions = (await slack.messages()).filter(
    ({ channelName, metadata }) =>
      STREAM_CHANNELS.has(channelName) && metadata !== null && metadata.payload["part"] === undefined,
  );
  const posts = aboutMentions.map(({ channelName, text, blocks }) => ({
    key: `#${channelName} ${authorIn(text + JSON.stringify(blocks))}`,
    identity: null,
  }));
  const mails = smtp.mails
    .filter(({ to }) => to.join() === "team@acme.example")
    .map(({ to, parsed }) => ({
      key: `${to.join().replace(/@.*/, "")} ${authorIn(String(parsed.text))}`,
      identity: parsed.messageId ?? null,
    }));
  return [...posts, ...mails];
}

const EACH_AUTHOR = new RegExp(AUTHOR, "g");

function authorIn(text: string): string {
  return AUTHOR.exec(text)?.[0] ?? "nobody";
}

const STREAM_CHANNELS = new Set(["recalls", "unhappy"]);
const SCENARIO_CHANNELS = new Set([
  ...["crowd", "grumble", "silenced", "nagging", "pressed", "digest-slack"],
  ...CHARTED,
]);
/** Channels whose messages may be about several alerts, and what a message about several is an example of. */
const OF_SEVERAL: ReadonlyMap<string, string> = new Map([
  ["grouped", "groups"],
  ["throttled", "throttles"],
]);

/**
 * The messages of the scenario that readers have, and how many there are of each required kind. The call that posted
 * a message shows its first text; later it is edited.
 */
async function messagesOfScenario({
  slack,
  smtp,
  hook,
}: World): Promise<{ sent: ActualWorld["sent"]; kinds: Map<string, number> }> {
  const sent: { key: string; identity: string | null }[] = [];
  const kinds = new Map(
    [
      ...["windows", "reminders", "escalations", "edits", "ends", "digests", "charts"],
      ...OF_SEVERAL.values(),
    ].map((kind) => [kind, 0]),
  );
  const came = (kind: string): void => void kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const posts = slack.calls.filter(({ method }) => method === "chat.postMessage");
  const roots = new Map<string, string>();
  /** Threads in which the end was said. */
  const over = new Set<string>();
  for (const { channelName, metadata, text, blocks, files, threadTs, ts } of await slack.messages()) {
    for (const { id } of files ?? []) {
      // Of an alert that has ended there is one more chart, below its end.
      const isLast = over.has(threadTs ?? "");
      const what = isPicture((await slack.file(id)) ?? new Uint8Array()) ? "chart" : "file without a picture";
      sent.push({ key: `#${channelName} ${what}${isLast ? " of the end" : ""}`, identity: null });
      came("charts");
    }
    const ofSeveral = OF_SEVERAL.get(channelName);
    if (ofSeveral !== undefined && metadata !== null && metadata.payload["part"] === undefined) {
      const { text: first = text, blocks: its = JSON.stringify(blocks) } =
        posts.find((post) => post.ts === ts)?.fields ?? {};
      const authors = new Set(Array.from((first + its).matchAll(EACH_AUTHOR), ([author]) => author));
      sent.push(...[...authors].map((who) => ({ key: `#${channelName} about ${who}`, identity: null })));
      if (authors.size > 1) came(ofSeveral);
    }
    if (!SCENARIO_CHANNELS.has(channelName) || metadata === null || metadata.payload["part"] !== undefined)
      continue;
    const posted = posts.find((post) => post.ts === ts)?.fields["text"] ?? text;
    const shown = text + JSON.stringify(blocks);
    const author = AUTHOR.exec(shown)?.[0] ?? roots.get(threadTs ?? "") ?? "";
    if (threadTs === null) roots.set(ts, author);
    const who = channelName === "grumble" ? ` ${author}` : "";
    const note = (what: string): void =>
      void sent.push({ key: `#${channelName} ${what}${who}`, identity: null });
    if (channelName === "digest-slack") note("digest");
    else if (/^Still going on/.test(posted)) came("reminders");
    else if (threadTs === null) {
      note("fired");
      if (channelName === "crowd") came("windows");
      if (channelName === "grumble" && /\b3 mentions|2 more mentions/.test(shown)) note("shows all");
      if (shown !== posted && posted !== text) came("edits");
      if (/^Already resolved/.test(posted)) note("end");
    } else if (/^(?:Already r|R)esolved/.test(posted)) {
      note("end");
      over.add(threadTs);
      came("ends");
    }
    if (channelName === "digest-slack") came("digests");
  }
  for (const { to, parsed } of smtp.mails) {
    const [box] = to.join().split("@");
    if (box !== "on-call" && box !== "digest-team") continue;
    const author = AUTHOR.exec(String(parsed.text))?.[0] ?? "";
    const isOver = /^(?:ALREADY )?RESOLVED:/m.test(String(parsed.text));
    const what = box === "digest-team" ? "digest" : `${isOver ? "end" : "unanswered"} ${author}`;
    sent.push({ key: `${box} ${what}`, identity: parsed.messageId ?? null });
    if (box === "on-call" && !isOver) came("escalations");
  }
  // A program knows a message by its key: a later try of it may say that its alert has ended meanwhile.
  const firstTries = new Map(
    hook.requests.toReversed().map(({ headers, body }) => [String(headers["idempotency-key"]), body]),
  );
  for (const [identity, body] of firstTries) {
    const { kind } = JSON.parse(body) as { kind: string };
    sent.push({ key: `program ${kind}`, identity });
  }
  return { sent, kinds };
}
