import { expect, it, test } from "vitest";
import { stringify } from "yaml";
import { UserError } from "../../../src/lib/errors.ts";
import { readAccountFile } from "../../../src/listening-api/account/account-file.ts";

const read = (content: object) => readAccountFile("account.yaml", stringify(content)).account;

function faultsOf(content: object): readonly string[] {
  try {
    read(content);
  } catch (error) {
    if (error instanceof UserError) return error.details;
    throw error;
  }
  return [];
}

it.each([
  ["1d", "1d"],
  ["36h", "2d"],
  ["400d", "400d"],
  ["99999d", "99999d"],
])("mentions that are to be kept for %s are kept for %s: never shorter", (given, kept) => {
  expect(read({ keepMentionsFor: given }).fields).toEqual({ keepMentionsFor: kept });
});

it.each(["23h", "100000d", "a year"])("mentions are not kept for %s", (given) => {
  expect(faultsOf({ keepMentionsFor: given })).toEqual([
    expect.stringMatching(/^account\.yaml:1:\d+ .*expected a duration of at least a day such as 400d/),
  ]);
});

it.each([
  ["1h", "3600s"],
  ["1s", "1s"],
])("tokens that live for %s have %s", (tokenLifetime, seconds) => {
  const [user] = read({ users: [{ username: "ann", tokenLifetime }] }).parts.user ?? [];
  expect(user?.fields).toEqual({ tokenLifetime: seconds });
});

it.each(["0s", "3000000000s", "soon"])("tokens do not live for %s", (tokenLifetime) => {
  expect(faultsOf({ users: [{ username: "ann", tokenLifetime }] })).toEqual([
    expect.stringMatching(/expected a duration such as 1h or 30d/),
  ]);
});

test("a time of a query ends after it begins", () => {
  const at = (startDate: string, endDate: string) => {
    const queries = [{ name: "Acme", dateRanges: [{ name: "May", startDate, endDate }] }];
    return faultsOf({ clients: [{ name: "A", projects: [{ name: "B", queries }] }] });
  };
  expect(at("2026-05-01", "2026-05-02")).toEqual([]);
  for (const end of ["2026-05-01", "2026-04-30"])
    expect(at("2026-05-01", end)).toEqual([expect.stringMatching(/expected a moment after startDate/)]);
});

test("a name or an id is there once; lists may have the same name, where they have ids", () => {
  const lists = (...siteLists: object[]) =>
    faultsOf({
      clients: [{ name: "A", siteLists: siteLists.map((one) => ({ ...one, domains: ["a.example"] })) }],
    });
  const twice = (what: string) => [expect.stringMatching(new RegExp(`has the ${what} twice`))];
  expect(faultsOf({ users: [{ username: "Ann" }, { username: "ann" }] })).toEqual(twice('username "ann"'));
  expect(faultsOf({ clients: [{ name: "A" }, { name: "a" }] })).toEqual([]);
  expect(lists({ name: "Press" }, { name: "Press" })).toEqual(twice('name "Press"'));
  expect(lists({ name: "Press", id: 1 }, { name: "Press", id: 2 })).toEqual([]);
  expect(lists({ name: "Press", id: 1 }, { name: "News", id: 1 })).toEqual(twice("id 1"));
  const tags = (...given: object[]) =>
    faultsOf({ clients: [{ name: "A", projects: [{ name: "B", tags: given }] }] });
  expect(tags({ name: "hot", id: 1 }, { name: "hot", id: 2 })).toEqual(twice('name "hot"'));
});
