import { demand, demandEqual } from "../demand.ts";
import { demandMentionsRefused, identityOf, mentions, withoutName } from "../mention-calls.ts";
import { CURRENT_FIELDS, EARLIER_FIELDS, MENTIONS_ENVELOPE, NESTED } from "../mention-shapes.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { demandShape } from "../shape.ts";
import { type Json, resultsOf, type Subject } from "../subject.ts";

const ENVELOPE = "Resources: mentions response envelope";
const RECORD = "Resources: mention record";
const SECTION = "Endpoints: mentions";
const ORDERS = ["date", "added", "updated", "impact"] as const;

export const mentionCalls: Part = {
  name: "Mentions",
  rows: [
    row(ENVELOPE, "the envelope has every field", async (subject) => {
      demandShape(await mentions(subject, [["pageSize", 20]]), MENTIONS_ENVELOPE, "the envelope");
    }),
    row("Versioning", "the current version has scaledResultsTotal besides resultsTotal", async (subject) => {
      if (await isEarlier(subject)) return notApplicable("this service answers in the earlier version");
      const page = await mentions(subject, [["pageSize", 20]]);
      demand(Number.isInteger(page["scaledResultsTotal"]), `it is ${page["scaledResultsTotal"]}`);
      return demand(Number(page["scaledResultsTotal"]) >= Number(page["resultsTotal"]), "it is lower");
    }),
    row(ENVELOPE, "resultsPage counts from 0, resultsPageSize is what was asked for", async (subject) => {
      for (const page of [0, 1]) {
        const body = await mentions(subject, [
          ["pageSize", 20],
          ["page", page],
        ]);
        demandEqual([body["resultsPage"], body["resultsPageSize"]], [page, 20], "page and size");
      }
    }),
    ...Object.entries(CURRENT_FIELDS).map(([group, shape]) =>
      row(RECORD, `${group}: every field is there, of its type or null`, async (subject) => {
        const { results, isOfEarlier } = await some(subject);
        if (results.length === 0) return notApplicable("no mention in the range");
        const identity = isOfEarlier ? { resourceId: "integer" as const } : {};
        for (const mention of results)
          demandShape(mention, { ...shape, ...pick(identity, shape) }, "a mention");
        return undefined;
      }),
    ),
    row("Versioning", "the earlier version adds its fields, with resourceId equal to id", async (subject) => {
      const { results, isOfEarlier } = await some(subject, true);
      if (!isOfEarlier) return notApplicable("this service answers in the current version");
      for (const mention of results) {
        demandShape(mention, EARLIER_FIELDS, "a mention");
        demandEqual(mention["resourceId"], mention["id"], "resourceId");
        demandEqual(mention["resourceType"], "page", "resourceType");
      }
      return undefined;
    }),
    ...Object.entries(NESTED).map(([field, shape]) =>
      row(RECORD, `${field} holds objects of its shape`, async (subject) => {
        const held = (await some(subject)).results.flatMap(
          (mention) => (mention[field] as unknown[] | null) ?? [],
        );
        if (held.length === 0) return notApplicable("no mention in the range has any");
        for (const value of held) demandShape(value, shape, field);
        return undefined;
      }),
    ),
    row(RECORD, "categories are the ids of categoryDetails", async (subject) => {
      for (const { categories, categoryDetails } of (await some(subject)).results)
        demandEqual(
          ((categoryDetails as Json[] | null) ?? []).map(({ id }) => Number(id)).sort(),
          [...((categories as number[] | null) ?? [])].sort(),
          "ids",
        );
    }),
    row(RECORD, "mentions belong to the query that was asked for", async (subject) => {
      const [, queryId] = (await subject.range())[0] ?? [];
      for (const mention of (await some(subject)).results)
        demandEqual(mention["queryId"], queryId, "queryId");
    }),
    ...["queryId", "startDate", "endDate"].map((name) =>
      row(`${SECTION}: required parameters`, `without ${name} the call is refused`, async (subject) =>
        demandMentionsRefused(subject, withoutName(await subject.range(), name), name),
      ),
    ),
    row(`${SECTION}: required parameters`, "queryId may be given several times", async (subject) => {
      const { queryIds } = await subject.project();
      const [first, second] = queryIds;
      if (first === undefined || second === undefined) return notApplicable("the project has one query");
      const dates = withoutName(await subject.range(), "queryId");
      const total = async (...ids: number[]) => {
        const path = `/projects/${(await subject.project()).id}/data/mentions`;
        const page = await subject.read(path, [...ids.map((id) => ["queryId", id] as const), ...dates]);
        return Number(page["resultsTotal"]);
      };
      return demandEqual(
        await total(first, second),
        (await total(first)) + (await total(second)),
        "the total of both",
      );
    }),
    row(
      `${SECTION}: required parameters`,
      "plain dates and full ones with an offset are taken",
      async (subject) => {
        const [year, full, behind] = [
          "2020-01-01",
          "2020-01-01T00:00:00.000+0000",
          "2020-01-01T00:00:00.000-0500",
        ];
        const query = (await subject.range()).filter(([name]) => name === "queryId");
        const path = `/projects/${(await subject.project()).id}/data/mentions`;
        for (const startDate of [year, full, behind]) {
          const page = await subject.read(path, [
            ...query,
            ["startDate", startDate],
            ["endDate", "2020-01-03"],
            ["pageSize", 1],
          ]);
          demandShape(page, MENTIONS_ENVELOPE, `startDate=${startDate}`);
          if (startDate === full) demandEqual(page["startDate"], full, "startDate of the answer");
          if (startDate === behind)
            demandEqual(
              Date.parse(String(page["startDate"])),
              Date.parse("2020-01-01T05:00:00Z"),
              "the moment",
            );
        }
      },
    ),
    row(`${SECTION}: required parameters`, "a date that is none is refused", async (subject) =>
      demandMentionsRefused(
        subject,
        [...withoutName(await subject.range(), "startDate"), ["startDate", "yesterday"]],
        "startDate",
      ),
    ),
    row(`${SECTION}: required parameters`, "mentions lie inside the range", async (subject) => {
      const page = await mentions(subject, [["pageSize", 100]]);
      const [from, to] = [Date.parse(String(page["startDate"])), Date.parse(String(page["endDate"]))];
      for (const { date } of resultsOf(page)) {
        if (date === null) continue;
        const at = Date.parse(String(date));
        demand(at >= from && at <= to, `${date} lies outside`);
      }
    }),
    row(`${SECTION}: orderBy`, "the default is date, descending", async (subject) => {
      const [plain, said] = [
        await mentions(subject, [["pageSize", 50]]),
        await mentions(subject, [
          ["pageSize", 50],
          ["orderBy", "date"],
          ["orderDirection", "desc"],
        ]),
      ];
      demandEqual(resultsOf(plain).map(identityOf), resultsOf(said).map(identityOf), "mentions");
    }),
    ...ORDERS.flatMap((orderBy) =>
      (["asc", "desc"] as const).map((direction) =>
        row(`${SECTION}: orderBy`, `${orderBy} ${direction} is in order`, async (subject) => {
          const page = await mentions(subject, [
            ["pageSize", 100],
            ["orderBy", orderBy],
            ["orderDirection", direction],
          ]);
          const keys = resultsOf(page)
            .map((mention) => mention[orderBy])
            .filter((key) => key !== null)
            .map((key) => (orderBy === "impact" ? Number(key) : Date.parse(String(key))));
          const sorted = keys.toSorted((a, b) => (direction === "asc" ? a - b : b - a));
          demandEqual(keys, sorted, orderBy);
        }),
      ),
    ),
    row(`${SECTION}: orderBy`, "an order that is none is refused", async (subject) =>
      demandMentionsRefused(subject, [...(await subject.range()), ["orderBy", "chance"]], "orderBy"),
    ),
    row(`${SECTION}: orderDirection`, "a direction that is none is refused", async (subject) =>
      demandMentionsRefused(
        subject,
        [...(await subject.range()), ["orderDirection", "up"]],
        "orderDirection",
      ),
    ),
    row(`${SECTION}: fulltext`, "fulltext gives the same mentions in the same order", async (subject) => {
      const [plain, full] = [
        await mentions(subject, [["pageSize", 20]]),
        await mentions(subject, [["pageSize", 20]], "/fulltext"),
      ];
      demandEqual(resultsOf(full).map(identityOf), resultsOf(plain).map(identityOf), "mentions");
      demandEqual(full["resultsTotal"], plain["resultsTotal"], "resultsTotal");
    }),
  ],
};

async function isEarlier(subject: Subject): Promise<boolean> {
  return (await some(subject)).isOfEarlier;
}

/** A hundred mentions, in the version that this service answers in, or asked for the earlier one. */
async function some(
  subject: Subject,
  earlier = false,
): Promise<{ results: readonly Json[]; isOfEarlier: boolean }> {
  const asked = earlier ? [["mentionVersion", "earlier"] as const] : [];
  const parameters = [...(await subject.range()), ["pageSize", 100] as const];
  const path = `/projects/${(await subject.project()).id}/data/mentions`;
  const answer = await subject.get(path, [...parameters, ...asked]);
  // How a version is asked for is left open by the specification; where this is unknown, the plain call has to do.
  const body = answer.status === 200 ? (answer.body as Json) : await subject.read(path, parameters);
  const results = resultsOf(body);
  return { results, isOfEarlier: Number.isInteger(results[0]?.["id"]) };
}

function pick<Held>(from: Readonly<Record<string, Held>>, names: object): Record<string, Held> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name in names));
}
