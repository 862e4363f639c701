import { demand, demandEqual } from "../demand.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { all, demandShape } from "../shape.ts";
import { type Json, type Parameters, resultsOf, type Subject } from "../subject.ts";

const SECTION = "Endpoints: Twitter insights";
const CALLS = ["hashtags", "emoticons", "urls", "mentionedauthors"] as const;

export const insights: Part = {
  name: "Twitter insights",
  rows: [
    ...CALLS.flatMap((call) => [
      row(SECTION, `${call} answers with results, orderBy and orderDirection`, async (subject) => {
        demandShape(
          await insight(subject, call),
          { results: "array", orderBy: "string", orderDirection: "string" },
          call,
        );
      }),
      row(SECTION, `${call} needs a query, startDate and endDate`, async (subject) => {
        const range = await subject.range();
        for (const [missing] of range) {
          const { status } = await subject.get(
            await pathOf(subject, call),
            range.filter(([name]) => name !== missing),
          );
          demand(status >= 400 && status < 500, `without ${missing} it is answered with ${status}`);
        }
      }),
      row(SECTION, `${call} takes the usual mention filters`, async (subject) => {
        const [whole, part] = [
          await insight(subject, call),
          await insight(subject, call, [["sentiment", "negative"]]),
        ];
        demand(resultsOf(part).length <= resultsOf(whole).length, "a filter finds more than none");
        const wrong = await subject.get(await pathOf(subject, call), [
          ...(await subject.range()),
          ["sentiment", "furious"],
        ]);
        demand(wrong.status >= 400 && wrong.status < 500, `a sentiment that is none: ${wrong.status}`);
      }),
    ]),
    row("Resources: Twitter insight item", "hashtags have every field", async (subject) => {
      const results = resultsOf(await insight(subject, "hashtags"));
      if (results.length === 0) return notApplicable("no hashtag in the range");
      for (const item of results)
        demandShape(
          item,
          { name: "string", label: "string?", ...all("integer", "volume tweets retweets impressions") },
          "a hashtag",
        );
      return undefined;
    }),
    row(
      "Resources: Twitter insight item",
      "a hashtag begins with #, and each is listed once",
      async (subject) => {
        const names = resultsOf(await insight(subject, "hashtags")).map(({ name }) => String(name));
        for (const name of names) demand(name.startsWith("#"), `${name} does not begin with #`);
        demandEqual(new Set(names).size, names.length, "different hashtags");
      },
    ),
    row(SECTION, "hashtags are ordered by volume, descending", async (subject) => {
      const body = await insight(subject, "hashtags");
      demandEqual([body["orderBy"], body["orderDirection"]], ["volume", "desc"], "order");
      const volumes = resultsOf(body).map(({ volume }) => Number(volume));
      demandEqual(
        volumes,
        volumes.toSorted((a, b) => b - a),
        "volumes",
      );
    }),
    row(SECTION, "volume is tweets and retweets together", async (subject) => {
      for (const { name, volume, tweets, retweets } of resultsOf(await insight(subject, "hashtags")))
        demand(
          Number(volume) >= Number(tweets) + Number(retweets),
          `${name}: ${volume} < ${tweets} + ${retweets}`,
        );
    }),
  ],
};

async function insight(subject: Subject, call: (typeof CALLS)[number], more: Parameters = []): Promise<Json> {
  return subject.read(await pathOf(subject, call), [...(await subject.range()), ...more]);
}

async function pathOf(subject: Subject, call: string): Promise<string> {
  return `/projects/${(await subject.project()).id}/data/${call}`;
}
