import type { RawMessage } from "../message.ts";
import { type Fact, MINUTE } from "../world.ts";
import {
  baselineOf,
  createLog,
  findRuleTests,
  loadRules,
  offlineConfig,
  openRuleTestRunner,
  openTemplates,
  readRuleTest,
} from "./earshot.ts";
import type { PlayResult } from "./play.ts";

/** Runs the rule tests of a folder, and hands out what each wrote and what was said of it. */
export async function playRuleTests({
  serverUrl,
  rules: folder = "rules",
  only = "",
}: {
  readonly serverUrl: string;
  readonly rules?: string;
  /** A part of the names of those that are played. */
  readonly only?: string;
}): Promise<readonly PlayResult[]> {
  const { rules } = await loadRules(folder);
  const config = await offlineConfig({ rules: folder, templates: "templates" });
  const runner = await openRuleTestRunner(serverUrl);
  try {
    const files = (await findRuleTests(folder)).filter((file) => file.includes(only));
    const results = await runner.run(files, {
      ...{ config, rules, renderer: await openTemplates("templates"), update: false },
      ...{ log: createLog({ level: "silent" }), signal: new AbortController().signal, onResult: () => {} },
    });
    const played: PlayResult[] = [];
    for (const { name, file, run } of results) {
      const read = await readRuleTest(file);
      if (run === null || !("test" in read)) throw new Error(`${file} could not be played`);
      const { story, observed } = run;
      const brands = [...new Set(story.mentions.map(({ query }) => query))];
      const before = baselineOf(read.test, brands);
      const facts = [...before, ...story.mentions].flatMap((mention): Fact[] => {
        const changes = story.changes.filter(({ resourceId }) => resourceId === mention.resourceId);
        const states = [{ at: mention.at, sentiment: mention.sentiment }, ...changes];
        const { details } = mention;
        return states.map(({ at, sentiment }, index) => ({
          ...{ query: mention.query, id: mention.resourceId, from: at, to: states[index + 1]?.at ?? null },
          ...{ at: mention.publishedAt, sentiment, author: mention.author, name: mention.author },
          ...{ site: details.domain ?? "social.example", domain: details.domain ?? "social.example" },
          ...{ followers: details.followers ?? null, reach: details.reach ?? null },
          ...{ verified: details.verified === true, title: mention.title, text: mention.text },
          ...{ url: details.url ?? null, hashtags: [], categories: [details.category ?? []].flat() },
          ...{ isDeleted: false, isRepost: false },
        }));
      });
      const messages = observed.messages.map(
        (message): RawMessage => ({
          ...{ kind: "seen", at: message.at, place: `${message.kind} to ${message.receiver}` },
          ...{ thread: `${message.receiver} ${message.alertIds[0]}`, isEdit: message.isEdit },
          html: message.html ?? "",
        }),
      );
      played.push({
        world: {
          ...{ name: `rule test ${name}`, timezone: read.test.start.zone, brands, facts },
          ...{ from: story.start, to: story.end, lagMs: 35 * MINUTE },
        },
        recording: { messages, answers: {} },
      });
    }
    return played;
  } finally {
    await runner.close();
  }
}
