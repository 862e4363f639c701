import { expect, test } from "vitest";
import { parseConfig } from "../../../src/admin/config/config.ts";
import { alertsOf } from "../../../src/admin/config/unknown-names-in.ts";
import { findDeadConfiguration } from "../../../src/monitor/notify/dead-configuration.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { aRule } from "../rules/a-rule.ts";

const hook = (name: string) => ({ name, kind: "webhook", url: "https://a.example/hook" });
const SOURCE = { baseUrl: "https://listening.example", username: "a", password: "b", clientId: "c" };

function configOf(more: object) {
  return parseConfig({
    source: SOURCE,
    receivers: [hook("desk")],
    routes: [{ receivers: ["desk"] }],
    ...more,
  });
}

async function dead(more: object, rules: readonly Rule[] = [ANGRY]): Promise<string[]> {
  const issues = findDeadConfiguration(await configOf(more), rules.map(alertsOf));
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

const ANGRY: Rule = {
  ...aRule("when: { sentiment: negative }\nlabels: { team: press }"),
  name: "angry-press",
  severity: "warning",
  severities: ["warning"],
};
const CALM: Rule = { ...aRule("when: { sentiment: positive }\nqueries: [Nonexistent]"), name: "calm" };

test("a rule whose alerts no route takes, by severity, name, label or `not`", async () => {
  const to = (match: object) => dead({ routes: [{ match, receivers: ["desk"] }] });
  const said = [
    'routes: no route takes the alerts of rule "angry-press" (severity warning), so nobody is notified of them',
  ];
  for (const match of [
    { severity: "critical" },
    { rule: "legal-*" },
    { labels: { team: "sales" } },
    { labels: { author: "*" } },
    { not: { severity: "info" } },
    { query: "Acme", not: { labels: { team: "press" } } },
  ])
    expect(await to(match), JSON.stringify(match)).toEqual(said);
  for (const match of [
    {},
    { severity: "info" },
    { query: "Acme" },
    { labels: { team: "pr*", query: "A" } },
    { not: { query: "Acme" } },
  ])
    expect(await to(match), JSON.stringify(match)).toEqual([]);
});

test("a rule whose alerts are left to the console on purpose", async () => {
  const routes = [
    { match: { rule: "angry-press" }, receivers: [] },
    { match: { rule: "calm" }, receivers: ["desk"] },
  ];
  expect(await dead({ routes })).toEqual([]);
});

test("an escalation notifies people, too", async () => {
  const routes = [{ match: { severity: "critical" }, receivers: ["desk"] }];
  const escalations = [{ name: "e", steps: [{ after: "5m", receivers: ["desk"] }] }];
  expect(await dead({ routes, escalations })).toEqual([]);
});

test("a route below one that takes all its alerts", async () => {
  const receivers = ["desk"];
  const below = 'no alert comes to this route: "all" above it takes them all';
  const all = { name: "all", receivers };
  const ours = { match: { labels: { team: "press" } }, receivers };
  expect(await dead({ routes: [all, ours] })).toEqual([expect.stringContaining(`routes.1: ${below}`)]);
  expect(await dead({ routes: [{ ...all, continue: true }, ours] })).toEqual([]);
  expect(await dead({ routes: [ours, all] })).toEqual([]);
  const warnings = { name: "all", match: { severity: "warning" }, receivers };
  expect(await dead({ routes: [warnings, ours] })).toEqual([expect.stringContaining(`routes.1: ${below}`)]);
  expect(await dead({ routes: [{ receivers, routes: [warnings, ours] }] })).toEqual([
    expect.stringContaining(`routes.0.routes.1: ${below}`),
  ]);
  const acme = { name: "acme", match: { query: "Acme" }, receivers };
  expect(await dead({ routes: [acme, ours] })).toEqual([]);
});

test("a receiver or a rotation that nothing leads to", async () => {
  const receivers = ["desk", "night", "boss", "day"].map(hook);
  const rotations = [
    { name: "phone", timezone: "UTC", receivers: ["night"] },
    { name: "pager", timezone: "UTC", receivers: ["boss"] },
  ];
  const escalations = [{ name: "e", steps: [{ after: "5m", receivers: ["phone"] }] }];
  const digests = [{ name: "d", at: "08:00", timezone: "UTC", receivers: ["day"] }];
  expect(await dead({ receivers, rotations, escalations, digests })).toEqual([
    'receivers.2.name: nothing leads to the receiver "boss": no route, escalation, digest or operator names it',
    'rotations.1.name: nothing leads to the rotation "pager": no step of an escalation names it',
  ]);
  expect(await dead({ receivers: receivers.slice(0, 2), operator: { receivers: ["night"] } })).toEqual([]);
});

test("a file that only names what it listens to: nobody wrote the receivers of the local inbox", async () => {
  const config = await parseConfig({
    listen: { queries: [{ name: "Acme", text: "acme" }], feeds: [{ kind: "hacker-news" }] },
  });
  expect(findDeadConfiguration(config, [alertsOf(ANGRY)])).toEqual([]);
});

test("a query that source.queries does not watch, wherever it is named", async () => {
  const source = { ...SOURCE, queries: ["Acme*", "Beta"] };
  const match = { query: ["acme shoes", "Nope"], not: { query: "Gone" } };
  const digests = [
    { name: "d", at: "08:00", timezone: "UTC", receivers: ["desk"], queries: ["beta", "N*", "Beat"] },
  ];
  const routes = [{ match, continue: true, receivers: ["desk"] }, { receivers: ["desk"] }];
  expect(await dead({ source, routes, digests }, [ANGRY, CALM])).toEqual([
    'source.queries: source.queries watches no query "Nonexistent", which rule calm names (it says Acme*, Beta)',
    'routes.0.match.query.1: source.queries watches no query "Nope" (it says Acme*, Beta)',
    'routes.0.match.not.query.0: source.queries watches no query "Gone" (it says Acme*, Beta)',
    'digests.0.queries.2: source.queries watches no query "Beat" (it says Acme*, Beta)',
  ]);
  // The query with that id may have any name.
  expect(await dead({ source: { ...SOURCE, queries: ["Acme*", "2000001"] } }, [ANGRY, CALM])).toEqual([]);
});
