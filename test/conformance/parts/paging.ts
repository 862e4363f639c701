import { demand, demandEqual } from "../demand.ts";
import { demandMentionsRefused, identityOf, mentions, readAllPages } from "../mention-calls.ts";
import { notApplicable, type Part, row } from "../row.ts";
import { resultsOf } from "../subject.ts";

const LIMITS = "Limits: pageSize";
const RULES = "Endpoints: mentions, rule";

export const paging: Part = {
  name: "Paging, cursors and limits",
  rows: [
    ...[1, 5_000].map((pageSize) =>
      row(LIMITS, `pageSize ${pageSize} is taken`, async (subject) => {
        const page = await mentions(subject, [["pageSize", pageSize]]);
        const expected = Math.min(pageSize, Number(page["resultsTotal"]));
        demandEqual(resultsOf(page).length, expected, "results");
      }),
    ),
    ...[0, 5_001, -1, "many"].map((pageSize) =>
      row(LIMITS, `pageSize ${pageSize} is refused`, async (subject) =>
        demandMentionsRefused(subject, [...(await subject.range()), ["pageSize", pageSize]], "pageSize"),
      ),
    ),
    row(`${RULES} 2`, "pages follow each other without a gap", async (subject) => {
      const sized = (page: number, pageSize: number) =>
        mentions(subject, [
          ["page", page],
          ["pageSize", pageSize],
        ]);
      const whole = resultsOf(await sized(0, 10)).map(identityOf);
      const halves = [...resultsOf(await sized(0, 5)), ...resultsOf(await sized(1, 5))].map(identityOf);
      demandEqual(halves, whole, "two pages of five");
    }),
    row(`${RULES} 2`, "page and pageSize alone reach 10,000 mentions and no more", async (subject) => {
      const within = [
        ["page", 1],
        ["pageSize", 5_000],
      ] as const;
      const total = Number((await mentions(subject, within))["resultsTotal"]);
      demand(Number.isInteger(total), "resultsTotal is no integer");
      await demandMentionsRefused(
        subject,
        [...(await subject.range()), ["page", 2], ["pageSize", 5_000]],
        "page",
      );
      await demandMentionsRefused(
        subject,
        [...(await subject.range()), ["page", 10_000], ["pageSize", 1]],
        "page",
      );
    }),
    row("Endpoints: mentions, page", "a page below 0 is refused", async (subject) =>
      demandMentionsRefused(subject, [...(await subject.range()), ["page", -1]], "page"),
    ),
    row(`${RULES} 3`, "the first answer brings a nextCursor, which is text", async (subject) => {
      const page = await mentions(subject, [["pageSize", 10]]);
      if (resultsOf(page).length < 10) return notApplicable("fewer than ten mentions in the range");
      return demand(typeof page["nextCursor"] === "string", `nextCursor is ${page["nextCursor"]}`);
    }),
    row(`${RULES} 3`, "an answer to a cursor has resultsPage 1 and both cursors", async (subject) => {
      const { pages } = await readAllPages(subject, [["pageSize", 10]]);
      const second = pages[1];
      if (second === undefined) return notApplicable("there is no second page");
      demandEqual(second["resultsPage"], 1, "resultsPage");
      demand(typeof second["prevCursor"] === "string", "prevCursor is missing");
      return resultsOf(second).length < 10
        ? undefined
        : demand(typeof second["nextCursor"] === "string", "nextCursor is missing");
    }),
    row(
      "Resources: mentions response envelope",
      "answers to a cursor name the maximum ids",
      async (subject) => {
        const { pages } = await readAllPages(subject, [["pageSize", 10]]);
        const second = pages[1];
        if (second === undefined) return notApplicable("there is no second page");
        for (const name of ["maximumId", "maximumIdInResult"])
          demand(Number.isInteger(second[name]), `${name} is ${second[name]}`);
        return undefined;
      },
    ),
    ...(["asc", "desc"] as const).flatMap((direction) =>
      (["date", "added", "updated"] as const).map((orderBy) =>
        row(
          `${RULES} 3`,
          `paging by ${orderBy} ${direction} repeats nothing and keeps the order`,
          async (subject) => {
            const order = [
              ["pageSize", 20],
              ["orderBy", orderBy],
              ["orderDirection", direction],
            ] as const;
            const { pages, ended } = await readAllPages(subject, order);
            const mentionsOfPages = pages.flatMap(resultsOf);
            demandEqual(
              new Set(mentionsOfPages.map(identityOf)).size,
              mentionsOfPages.length,
              "different mentions",
            );
            const keys = mentionsOfPages.map((mention) =>
              Date.parse(String(mention[orderBy] ?? mention["added"])),
            );
            demandEqual(
              keys,
              keys.toSorted((a, b) => (direction === "asc" ? a - b : b - a)),
              "order",
            );
            if (ended) demandEqual(mentionsOfPages.length, pages[0]?.["resultsTotal"], "all of them");
          },
        ),
      ),
    ),
    row(`${RULES} 2 and 3`, "paging by cursor shows what the pages show", async (subject) => {
      const { pages } = await readAllPages(subject, [
        ["pageSize", 20],
        ["orderBy", "added"],
        ["orderDirection", "asc"],
      ]);
      for (const [page, byCursor] of pages.slice(0, 3).entries()) {
        const paged = await mentions(subject, [
          ["pageSize", 20],
          ["orderBy", "added"],
          ["orderDirection", "asc"],
          ["page", page],
        ]);
        demandEqual(resultsOf(byCursor).map(identityOf), resultsOf(paged).map(identityOf), `page ${page}`);
      }
    }),
    row(`${RULES} 3`, "prevCursor leads back", async (subject) => {
      const { pages } = await readAllPages(subject, [["pageSize", 10]]);
      const [first, second] = pages;
      if (first === undefined || typeof second?.["prevCursor"] !== "string")
        return notApplicable("there is no second page");
      const back = await mentions(subject, [
        ["pageSize", 10],
        ["cursor", second["prevCursor"]],
      ]);
      return demandEqual(resultsOf(back).map(identityOf), resultsOf(first).map(identityOf), "the first page");
    }),
    row(`${RULES} 4`, "a cursor that was never given out is refused", async (subject) =>
      demandMentionsRefused(subject, [...(await subject.range()), ["cursor", "AAAA.BBBB"]], "cursor"),
    ),
  ],
};
