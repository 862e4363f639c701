import fc from "fast-check";
import { expect, test } from "vitest";
import type { FeedAnswer, FeedReader, FeedRequest, StoredItem } from "../../src/feeds/common/define-feed.ts";
import { FeedError } from "../../src/feeds/common/feed-error.ts";
import { toArrived } from "../../src/feeds/run/to-arrived.ts";
import { DAY } from "../../src/lib/instant.ts";
import { parseUrl } from "../../src/lib/parse-url.ts";
import { plannedOf } from "../contracts/feed.ts";
import { noEnrichment } from "./no-enricher.ts";
import { answerOf } from "./reader.ts";

const now = Date.UTC(2026, 10, 23, 12);
const moment = "2026-11-23T11:59:00.000Z";
const seconds = now / 1_000 - 60;

/** A feed of each kind that is fetched, and answers as its server gives them: what is tried are changes of these. */
const KINDS = {
  rss: {
    written: { urls: ["https://a.example/feed"] },
    answers: ["<rss><channel><item><title>Acme</title><guid>1</guid></item></channel></rss>"],
  },
  "hacker-news": {
    written: {},
    answers: ["9", '{"items":[1,2]}', '{"id":9,"type":"comment","by":"ann","time":1,"text":"Acme"}'],
  },
  news: {
    written: {},
    answers: [
      '{"articles":[{"url":"https://a.example/1","title":"Acme","seendate":"20261123T115900Z","language":"German"}]}',
    ],
  },
  mastodon: {
    written: { server: "a.example", tags: ["acme"] },
    answers: [
      JSON.stringify([
        {
          ...{
            id: "7",
            uri: "https://a.example/7",
            url: "https://a.example/@ann/7",
            created_at: moment,
            content: "Acme",
          },
          ...{
            visibility: "public",
            language: "en",
            account: { acct: "ann", url: "https://a.example/@ann" },
          },
          ...{ reblog: null, favourites_count: 3, spoiler_text: "" },
        },
      ]),
    ],
  },
  youtube: {
    written: { channels: ["UC_x5XG1OV2P6uZZ5FSM9Ttw"] },
    answers: [
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>yt:video:1</id><title>Acme</title><published>${moment}</published></entry></feed>`,
    ],
  },
  "stack-exchange": {
    written: { sites: ["stackoverflow"] },
    answers: [
      JSON.stringify({
        items: [
          {
            question_id: 1,
            answer_id: 2,
            post_id: 1,
            title: "Acme",
            body: "x",
            creation_date: seconds,
            last_activity_date: seconds,
          },
        ],
        ...{ has_more: true, backoff: 10, quota_remaining: 3 },
      }),
    ],
  },
  github: {
    written: { search: "acme" },
    answers: [
      JSON.stringify({
        items: [
          {
            ...{
              id: 1,
              url: "https://api.github.com/repos/a/b/issues/1",
              html_url: "https://github.com/a/b/issues/1",
            },
            ...{
              title: "Acme",
              body: "x <!-- y",
              created_at: moment,
              updated_at: moment,
              user: { login: "ann" },
            },
          },
        ],
      }),
    ],
  },
} as const;

/** Changes one place of a JSON value, or of a text that is none. */
const changed = (text: string) =>
  fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 2 }), fc.nat(3)).map(([at, value, how]) => {
    if (how === 0) return text.slice(0, at % (text.length + 1));
    if (how === 1)
      return `${text.slice(0, at % text.length)}${JSON.stringify(value)}${text.slice((at % text.length) + 1)}`;
    let left = at % 40;
    try {
      return JSON.stringify(JSON.parse(text), (_key, one: unknown) => (left-- === 0 ? value : one));
    } catch {
      return text.replaceAll("Acme", JSON.stringify(value));
    }
  });

const headers = fc.record(
  {
    "retry-after": fc.constantFrom("0", "-5", "1e99", "soon", "120"),
    "x-ratelimit-remaining": fc.constantFrom("0", "-1", "many", "4"),
    "x-ratelimit-reset": fc.constantFrom("0", "99999999999999", "2026-11-23T12:05:00.000Z", "never", ""),
  },
  { requiredKeys: [] },
);

const MOST_STEPS = 60;

test.each(Object.entries(KINDS))(
  "%s: whatever is answered, it ends with items or with a sentence",
  (kind, { written, answers }) => {
    const feed = plannedOf({ kind, ...written }, [{ name: "Acme", text: "acme" }]);
    const { definition, part, settings } = feed;
    const stored: StoredItem[] = ["1", "https://a.example/7", "stackoverflow 1"].map((id) => ({
      id,
      reference: id,
      ageMs: DAY,
    }));
    const around = { kind: definition, fetchedAt: now, keepFrom: now - 90 * DAY, enrich: noEnrichment };
    const one = fc.record({
      body: fc.oneof(
        ...answers.flatMap((text) => [fc.constant(text), changed(text)]),
        fc.json({ maxDepth: 3 }),
        fc.constantFrom("", "null", "[]", "{}", "<html>", "[null]", '{"items":[null,7,{}]}', '{"error":7}'),
      ),
      status: fc.constantFrom(200, 200, 200, 304, 400, 401, 403, 404, 410, 422, 429, 451, 500, 503),
      headers,
    });
    const cursors = fc.oneof(fc.constant(null), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(
        fc.array(one, { minLength: 1, maxLength: 5 }),
        cursors,
        fc.boolean(),
        (given, cursor, isCheck) => {
          let turn = 0;
          const answer = ({ url, accepts = [], reads }: FeedRequest): FeedAnswer => {
            const {
              body,
              status,
              headers: sent,
            } = given[turn++ % given.length] ?? { body: "", status: 200, headers: {} };
            // The fetcher refuses all others.
            const shown = status === 200 || status === 304 || accepts.includes(status) ? status : 200;
            const read = answerOf(shown === 304 ? "" : body, shown === 304 ? "json" : reads, {
              status: shown,
              url,
            });
            return { ...read, header: (name) => Reflect.get(sent, name) ?? null };
          };
          const check = definition.recheck?.read;
          const reader = (
            isCheck && check !== undefined
              ? check(stored, part, settings, now)
              : definition.read?.(part, settings, cursor as never, now)
          ) as FeedReader;
          try {
            let step = reader.next([]);
            for (let steps = 0; step.done !== true; steps++) {
              if (steps > MOST_STEPS) throw new Error("it does not end");
              for (const { url } of step.value) expect(parseUrl(url)).not.toBeNull();
              step = reader.next(step.value.map(answer));
            }
            const { items, deletes, pauseMs = 0 } = step.value;
            for (const item of items) toArrived(item, around);
            for (const { id } of deletes) expect(id.length).toBeGreaterThan(0);
            expect(pauseMs).toBeGreaterThanOrEqual(0);
            expect(pauseMs).toBeLessThanOrEqual(DAY);
            JSON.stringify(step.value);
          } catch (error) {
            if (!(error instanceof FeedError)) throw error;
            expect(error.message.length).toBeGreaterThan(10);
            expect(error.retryAfterMs ?? 0).toBeLessThanOrEqual(DAY);
          }
        },
      ),
      { numRuns: 400 },
    );
  },
);
