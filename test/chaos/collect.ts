import { join } from "node:path";
import { seriesOf } from "../../src/ingest/assess-mention.ts";
import { OWN_QUERY } from "../../src/model/own-query.ts";
import { loadRules } from "../../src/rules/load-rules.ts";
import type { Found } from "./ledger.ts";
import { VOICE } from "./stream.ts";
import { CALLS_A_MINUTE, OPERATORS, type World } from "./world.ts";

/** Reads what Earshot stored, counted and alerted, and what arrived at the vendors. */
export async function collect(world: World): Promise<Found> {
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
    told: await told(world),
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

/** As their readers have them: what a message is about stands in its text. */
async function told({ slack, smtp }: World): Promise<Found["told"]> {
  // What only tells more of a message, in its thread, is no message of its own.
  const aboutMentions = (await slack.messages()).filter(
    ({ channelName, metadata }) =>
      channelName !== OPERATORS && metadata !== null && metadata.payload["part"] === undefined,
  );
  const posts = aboutMentions.map(({ channelName, text, blocks }) => ({
    key: `#${channelName} ${voiceIn(text + JSON.stringify(blocks))}`,
    identity: null,
  }));
  const mails = smtp.mails.map(({ to, parsed }) => ({
    key: `${to.join().replace(/@.*/, "")} ${voiceIn(String(parsed.text))}`,
    identity: parsed.messageId ?? null,
  }));
  return [...posts, ...mails];
}

function voiceIn(text: string): string {
  return VOICE.exec(text)?.[0] ?? "nobody";
}
