import { demand, demandEqual } from "../demand.ts";
import { demandMentionsRefused, identityOf, mentions } from "../mention-calls.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { isJson, type Json, type Parameters, resultsOf, type Subject } from "../subject.ts";

const SECTION = "Endpoints: mentions, optional parameters";

export const filters: Part = {
  name: "Filters",
  rows: [
    ...(["pageType", "sentiment"] as const).flatMap((name) => [
      row(SECTION, `${name} shows only mentions that have it`, async (subject) => {
        const value = await commonest(subject, (mention) => [mention[name]]);
        if (value === undefined) return notApplicable("no mention in the range has one");
        const page = await mentions(subject, [
          [name, value],
          ["pageSize", 100],
        ]);
        demand(resultsOf(page).length > 0, `${name}=${value} shows none`);
        for (const mention of resultsOf(page)) demandEqual(mention[name], value, name);
        return undefined;
      }),
      row(SECTION, `a ${name} that is none is refused`, async (subject) =>
        demandMentionsRefused(subject, [...(await subject.range()), [name, "carrier pigeon"]], name),
      ),
    ]),
    row("Endpoints: mentions, rule 1", "resultsTotal counts only what the filters leave", async (subject) => {
      const of = async (more: Parameters) => Number((await mentions(subject, more))["resultsTotal"]);
      const parts = await Promise.all(
        ["positive", "neutral", "negative"].map((sentiment) =>
          of([
            ["sentiment", sentiment],
            ["pageSize", 1],
          ]),
        ),
      );
      const total = await of([["pageSize", 1]]);
      const sum = parts.reduce((a, b) => a + b, 0);
      demand(sum <= total, `${parts.join(" + ")} is more than ${total}`);
      demand(parts.some((part) => part < total) || total === 0, "no filter leaves anything out");
    }),
    row(SECTION, "category shows what has it, xcategory what has not", async (subject) => {
      const id = await commonest(subject, (mention) => (mention["categories"] as number[] | null) ?? []);
      if (id === undefined) return notApplicable("no mention in the range has a category");
      return demandTwins(subject, "category", id, (mention) =>
        ((mention["categories"] as number[] | null) ?? []).includes(id as number),
      );
    }),
    row(SECTION, "tag shows what has it, xtag what has not", async (subject) => {
      const name = await commonest(subject, (mention) => (mention["tags"] as string[] | null) ?? []);
      const id = name === undefined ? undefined : await tagId(subject, String(name));
      if (id === undefined) return notApplicable("no mention in the range has a tag whose id is known");
      return demandTwins(subject, "tag", id, (mention) =>
        ((mention["tags"] as string[] | null) ?? []).includes(String(name)),
      );
    }),
    ...["tag", "xtag", "category", "xcategory"].map((name) =>
      row(SECTION, `a ${name} that is no id is refused`, async (subject) =>
        demandMentionsRefused(subject, [...(await subject.range()), [name, "important"]], name),
      ),
    ),
    row("practice §4", "sinceAdded shows what was added later", async (subject) =>
      demandSince(subject, "added"),
    ),
    row("practice §4", "sinceUpdated shows what was updated later", async (subject) =>
      demandSince(subject, "updated"),
    ),
  ],
};

/** The value that most of the first hundred mentions have. */
async function commonest(
  subject: Subject,
  of: (mention: Json) => readonly unknown[],
): Promise<string | number | undefined> {
  const counts = new Map<string | number, number>();
  for (const mention of resultsOf(await mentions(subject, [["pageSize", 100]])))
    for (const value of of(mention))
      if (typeof value === "string" || typeof value === "number")
        counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

async function demandTwins(
  subject: Subject,
  name: string,
  id: string | number,
  has: (mention: Json) => boolean,
): Promise<void> {
  const [whole, held, left] = [
    await mentions(subject, [["pageSize", 1]]),
    await mentions(subject, [
      [name, id],
      ["pageSize", 100],
    ]),
    await mentions(subject, [
      [`x${name}`, id],
      ["pageSize", 100],
    ]),
  ];
  demand(resultsOf(held).length > 0 && resultsOf(held).every(has), `${name}=${id} shows others`);
  demand(!resultsOf(left).some(has), `x${name}=${id} shows some that have it`);
  const sum = Number(held["resultsTotal"]) + Number(left["resultsTotal"]);
  demandEqual(sum, whole["resultsTotal"], `the totals of ${name} and x${name} together`);
}

async function tagId(subject: Subject, name: string): Promise<number | undefined> {
  const { id } = await subject.project();
  const { body } = await subject.get(`/projects/${id}/tags`);
  const tag = isJson(body) ? resultsOf(body).find((candidate) => candidate["name"] === name) : undefined;
  return tag === undefined ? undefined : Number(tag["id"]);
}

async function demandSince(subject: Subject, field: "added" | "updated") {
  const order = [
    ["orderBy", field],
    ["orderDirection", "asc"],
    ["pageSize", 50],
  ] as const;
  const before = resultsOf(await mentions(subject, order));
  const since = before[Math.floor(before.length / 2)]?.[field];
  if (since === undefined) return notApplicable("no mention in the range");
  const parameter = field === "added" ? "sinceAdded" : "sinceUpdated";
  const after = resultsOf(await mentions(subject, [...order, [parameter, String(since)]]));
  for (const mention of after)
    demand(
      Date.parse(String(mention[field])) > Date.parse(String(since)),
      `${mention[field]} is not after ${since}`,
    );
  const expected = before.filter((mention) => Date.parse(String(mention[field])) > Date.parse(String(since)));
  return demandEqual(
    after.slice(0, expected.length).map(identityOf),
    expected.map(identityOf),
    "what follows",
  );
}
