import { DAY, HOUR, type Instant, MINUTE } from "../../src/lib/instant.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import type { Stores } from "../../src/monitor/store/stores.ts";
import { aMention } from "../mention.ts";
import { PROJECT, storeMentions } from "./make-a-story.ts";

export const SPIKE_RULE = `# A comment that people keep.
title: Wave of complaints
description: Far more negative mentions than usual.
severity:
  warning: always
  critical: { atLeast: 60, within: 30m } # wakes somebody
when:
  sentiment: negative
spike:
  atLeast: 15
`;

/** Two queries over six weeks: eight mentions an hour, and three storms of complaints at the first one. */
export async function storeWeeks(
  stores: Stores,
  now: Instant,
  /** Mentions before are left out. */
  since = Number.NEGATIVE_INFINITY,
): Promise<readonly Mention[]> {
  const queries = ["Aurora Air", "Northwind"].map((name, index) => ({
    ...{ projectId: PROJECT, queryId: String(index + 1), name, projectName: "Brands", timezone: "UTC" },
  }));
  await stores.queries.register(queries, now - 50 * DAY, now - 50 * DAY);
  const mentions: Mention[] = [];
  const add = (at: Instant, queryId: string, sentiment: string, text: string): void => {
    if (at < since) return;
    const n = mentions.length;
    mentions.push(
      aMention({
        ...{ queryId, sentiment, text, resourceId: `m-${n}`, addedAt: at, publishedAt: at - MINUTE },
        ...{
          author: `author${n % 400}`,
          language: n % 5 === 0 ? "de" : "en",
          followers: n % 900,
          countryCode: "GBR",
        },
        ...{ pageType: "twitter", tags: n % 9 === 0 ? ["press"] : [] },
      }),
    );
  };
  for (let at = now - 42 * DAY; at < now; at += HOUR / 8) {
    const n = Math.round(at / (HOUR / 8));
    add(
      at,
      n % 3 === 0 ? "2" : "1",
      ["neutral", "positive", "neutral", "negative"][n % 4] ?? "neutral",
      `Flight ${n}`,
    );
  }
  for (const [start, size] of [
    [now - 9 * DAY, 60],
    [now - 5 * DAY, 90],
    [now - 30 * HOUR, 200],
  ] as const)
    for (let n = 0; n < size; n++)
      add(
        start + n * (25_000 - (n % 7) * 900),
        "1",
        "negative",
        `My flight was cancelled, ${n} hours of waiting`,
      );
  mentions.sort((a, b) => a.addedAt - b.addedAt);
  for (let at = 0; at < mentions.length; at += 2_000)
    await storeMentions(stores, mentions.slice(at, at + 2_000), now);
  return mentions;
}
