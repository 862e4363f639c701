import { expect, test } from "vitest";
import type { Issue } from "../../../src/lib/errors.ts";
import { planAccount } from "../../../src/listening-api/account/plan-account.ts";
import { findUnknownNames } from "../../../src/listening-api/account/rule-fields.ts";
import type { StoredThing } from "../../../src/listening-api/account/stored-account.ts";

const shown = ({ path, message }: Issue) => `${path.join(".")}: ${message}`;

test("a name that nothing has is told at its place in the file, with the one that was perhaps meant", () => {
  const fields = {
    queries: ["Acme", "Acne"],
    action: {
      ...{ addTag: ["hot"], removeTag: ["hott"], assignment: "bob" },
      ...{ addCategories: [["Topics", "Prize"]], removeCategories: [["Topic", "Price"]] },
    },
    ...{ includeTags: ["cold"], excludeCategories: [["Topics"], ["Topics", "Price"], ["Nothing"]] },
  };
  const issues = findUnknownNames(fields, ["rules", 3], {
    ...{ queries: ["Acme"], tags: ["hot"], logins: ["ann"] },
    categories: new Map([["Topics", ["Price"]]]),
  });
  expect(issues.map(shown)).toEqual([
    'rules.3.queries.1: there is no query "Acne"',
    'rules.3.action.removeTag.0: there is no tag "hott"',
    'rules.3.action.addCategories.0.1: there is no "Prize" in "Topics"',
    'rules.3.action.removeCategories.0.0: there is no category "Topic"',
    'rules.3.includeTags.0: there is no tag "cold"',
    'rules.3.excludeCategories.2.0: there is no category "Nothing"',
    'rules.3.action.assignment: there is no login "bob"',
  ]);
  expect(issues.slice(0, 4).map(({ suggestion }) => suggestion)).toEqual(["Acme", "hot", "Price", "Topics"]);
});

test("an id that nothing has, and a thing that is there by its id and by its name, are told at their places", () => {
  const client: StoredThing = { kind: "client", id: 5, name: "Acme", fields: {}, parts: {} };
  const stored: StoredThing = { kind: "account", id: 0, name: "", fields: {}, parts: { client: [client] } };
  const given = [{ id: 7, name: "Other" }, { id: 5, name: "New" }, { name: "Acme" }].map((one, index) => ({
    ...{ kind: "client" as const, fields: {}, parts: {}, path: ["clients", index] },
    ...one,
  }));
  const issues: Issue[] = [];
  const account = { kind: "account" as const, name: "", fields: {}, parts: { client: given } };
  planAccount(stored, account, { prune: false }, issues);
  expect(issues.map(shown)).toEqual([
    "clients.0.id: there is no client with this id; leave it out to make a new one",
    "clients.2.name: this client is in the file twice: by its id and by its name",
  ]);
});
