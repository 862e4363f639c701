import { expect, test } from "vitest";
import { findUnknownNames, shapeOf } from "../../../src/monitor/templates/find-unknown-names.ts";

/** Two messages: each has the fields that the other lacks. */
const VIEW = shapeOf([
  {
    query: "Acme",
    resolvedAt: null,
    handling: { acknowledgedBy: "Ann" },
    mentions: [{ text: "one", url: null }],
    values: {},
  },
  {
    query: "Acme",
    resolvedAt: 1,
    handling: { acknowledgedBy: null },
    mentions: [],
    values: { count: 3 },
    never: null,
  },
]);

function faultsOf(source: string, parts: Readonly<Record<string, string>> = {}): readonly string[] {
  return findUnknownNames(new Map([["mine.txt", source], ...Object.entries(parts)]), "mine.txt", VIEW);
}

test.each([
  ["{{quer}}", `1:3 "quer" is not in the view — did you mean "query"?`],
  ["\n {{#if resolved}}x{{/if}}", `2:8 "resolved" is not in the view — did you mean "resolvedAt"?`],
  ["{{#if query}}{{else}}{{quer}}{{/if}}", `1:24 "quer" is not in the view — did you mean "query"?`],
  ["{{#each mention}}x{{/each}}", `1:9 "mention" is not in the view — did you mean "mentions"?`],
  ["{{#each mentions}}{{txt}}{{/each}}", `1:21 "txt" is not in the view — did you mean "text"?`],
  ["{{#each mentions as |m|}}{{m.txt}}{{/each}}", `1:28 "m.txt" is not in the view — did you mean "text"?`],
  ["{{#each mentions}}{{../text}}{{/each}}", `1:21 "../text" is not in the view`],
  ["{{#with handling}}{{query}}{{/with}}", `1:21 "query" is not in the view`],
  [
    "{{handling.acknowledgedby}}",
    `1:3 "handling.acknowledgedby" is not in the view — did you mean "acknowledgedBy"?`,
  ],
  ["{{query.name}}", `1:3 "query.name" is not in the view`],
  ["{{constructor}}", `1:3 "constructor" is not in the view`],
  ["{{../query}}", `1:3 "../query" leads out of the view`],
  ["{{#each mentions}}{{@indx}}{{/each}}", `1:21 there is no "@indx" — did you mean "index"?`],
  ["{{@root.quer}}", `1:3 "@root.quer" is not in the view — did you mean "query"?`],
  ["{{time opened}}", `1:8 "opened" is not in the view`],
  ["{{#if (eq quer 1)}}x{{/if}}", `1:11 "quer" is not in the view — did you mean "query"?`],
  ["{{tme resolvedAt}}", `1:3 there is no helper "tme" — did you mean "time"?`],
  ["{{lookup handling query}}", `1:3 there is no helper "lookup"`],
  ["{{time}}", `1:3 "time" is a helper: say of what`],
  ["{{#iff query}}x{{/iff}}", `1:4 there is no block "iff" — did you mean "if"?`],
  ["{{#if query}}{{> mine.text}}{{/if}}", `1:18 there is no part "mine.text" — did you mean "mine.txt"?`],
  ["{{> (upper query)}}", `1:5 parts are included by their names`],
])("%j: %s", (source, fault) => {
  expect(faultsOf(source)).toEqual([`templates/mine.txt.hbs:${fault}`]);
});

test.each([
  "{{query}}{{this.query}}{{#if (or resolvedAt (eq query 'x'))}}{{time resolvedAt}}{{/if}}",
  "{{#each mentions}}{{text}}{{../query}}{{@root.query}}{{@index}}{{#unless @last}}, {{/unless}}{{else}}none{{/each}}",
  "{{#each mentions as |m i|}}{{m.text}}{{i}}{{#with ../handling as |c|}}{{c.acknowledgedBy}}{{m.url}}{{/with}}{{/each}}",
  "{{mentions.length}}{{#each values}}{{@key}}{{this}}{{/each}}{{values.whatever}}{{never.known}}",
  "{{! quer }}{{#if query}}{{else if resolvedAt}}x{{/if}}",
])("nothing is wrong with %j", (source) => {
  expect(faultsOf(source)).toEqual([]);
});

test("a partial is read with its arguments, and its faults are reported with its own file", () => {
  const part = { "part.txt": "{{text}}{{title}}{{quer}}" };
  expect(faultsOf('{{#each mentions}}{{> part.txt title="x"}}{{/each}}', part)).toEqual([
    'templates/part.txt.hbs:1:20 "quer" is not in the view',
  ]);
  expect(faultsOf("{{> mine.txt}}{{quer}}")).toHaveLength(1);
});
