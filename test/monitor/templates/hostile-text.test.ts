import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultOfMessage } from "../../../src/console/inbox/slack-limits.ts";
import {
  alertBlocks,
  detailBlocks,
  replyBlocks,
} from "../../../src/monitor/notify/notifiers/slack/alert-blocks.ts";
import { digestBlocks } from "../../../src/monitor/notify/notifiers/slack/compose-slack.ts";
import { createRenderer } from "../../../src/monitor/templates/create-renderer.ts";
import { cleanLine, safeUrl } from "../../../src/monitor/templates/escape.ts";
import { sampleAlertViews } from "../../../src/monitor/templates/sample-alert-views.ts";
import { sampleDigestViews } from "../../../src/monitor/templates/sample-digest-views.ts";
import { sampleViews } from "../../../src/monitor/templates/samples.ts";
import { TEMPLATE_NAMES, type TemplateName } from "../../../src/monitor/templates/template-names.ts";
import { anyText } from "../../fixtures/any-text.ts";
import { attacks, hostileUrls, oneOfEachFamily } from "../../fixtures/attacks.ts";
import { runs } from "../../runs.ts";

const renderer = await createRenderer({ folder: "templates" });

describe.each(TEMPLATE_NAMES)("%s", (name) => {
  // Escaping depends only on the value's text and its field name, never on the view around it. So one
  // attack of each family takes every branch of the template, and every attack the branch that shows most, and one more.
  it("shows every attack as text", () => {
    const views = sampleViews(name);
    for (const [index, attack] of attacks.entries())
      expectHarmless(name, attack.text, [0, 1 + (index % (views.length - 1))], attack.name);
    for (const attack of oneOfEachFamily) expectHarmless(name, attack.text, views.keys(), attack.name);
  });

  it("shows any text as text", () => {
    const branch = fc.nat({ max: sampleViews(name).length - 1 });
    fc.assert(
      fc.property(anyText, branch, (text, index) => expectHarmless(name, text, [index])),
      { numRuns: runs(200) },
    );
  });
});

it("Slack takes the blocks that hold an attack", () => {
  for (const attack of attacks) expectHarmlessBlocks(attack.text, attack.name);
});

it("Slack takes the blocks of any text", () => {
  fc.assert(
    fc.property(anyText, (text) => expectHarmlessBlocks(text)),
    { numRuns: runs(40) },
  );
});

it.each(hostileUrls)("%j is no link anywhere", (url) => {
  expect(safeUrl(url)).toBeNull();
  for (const name of TEMPLATE_NAMES) {
    for (const view of sampleViews(name)) {
      const text = renderer.render(name, withUrls(view, url));
      if (name.endsWith(".html")) expect(text).not.toMatch(/href=/);
      if (name.endsWith(".mrkdwn")) expect(text).not.toMatch(/</);
    }
  }
});

it("whatever passes as an address holds nothing that ends a link", () => {
  const url = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    anyText.map((text) => `https://a.example/${text}`),
  );
  fc.assert(
    fc.property(url, (text) => {
      const safe = safeUrl(text);
      if (safe !== null) expect(safe).toMatch(/^https?:\/\/[^\s<>|"'`\\\p{Cc}]+$/u);
    }),
  );
});

/** With the text in every field, the output has the same marks, tags and lines as with a plain text. */
function expectHarmless(
  name: TemplateName,
  text: string,
  branches: Iterable<number>,
  attack = JSON.stringify(text),
): void {
  const plain = cleanLine(text) === "" ? "" : "plain";
  for (const index of branches) {
    const output = renderer.render(name, withTexts(sampleViews(name)[index] ?? {}, text));
    expect(output, attack).not.toMatch(UNWANTED);
    expect(skeleton(name, output), attack).toEqual(expectedSkeletons(name, plain)[index]);
  }
}

const known = new Map<string, readonly unknown[]>();

function expectedSkeletons(name: TemplateName, text: string): readonly unknown[] {
  const key = `${name} ${text}`;
  const skeletons =
    known.get(key) ??
    sampleViews(name).map((view) => skeleton(name, renderer.render(name, withTexts(view, text))));
  known.set(key, skeletons);
  return skeletons;
}

function skeleton(name: TemplateName, output: string): unknown {
  if (name.endsWith(".html")) return output.match(/<[^>]*>?/g);
  if (name.endsWith(".txt")) return output.split(/\r\n|[\r\n\u2028\u2029\u0085\v\f]/).length;
  if (name.endsWith(".header")) return output.split(/[\r\n\u2028\u2029\u0085\v\f]/).length;
  const marks = output.match(/<[^>]*>?|[`~*]/g) ?? [];
  const entities = output.replaceAll(/&(amp|lt|gt);/g, "").match(/[&>]/g) ?? [];
  return [...marks, ...entities];
}

/**
 * Control characters, halves of characters, direction marks but the one that ends what is written from right to left.
 * It looks back only from such a mark: looking back from every character takes the square of a line's length, and V8
 * stops hiding that in a process that has compiled many expressions.
 */
const UNWANTED =
  /[^\P{Cc}\n]|\u200E(?<![\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}].*\u200E)|[\p{Surrogate}\u061C\u200B\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u;

function expectHarmlessBlocks(text: string, attack = JSON.stringify(text)): void {
  const [alert] = sampleAlertViews;
  const [digest] = sampleDigestViews;
  const details = detailBlocks(withTexts(alert, text), renderer);
  for (const blocks of [
    alertBlocks(withTexts(alert, text), renderer, { alertId: "a-1", picture: "F0123456789" }),
    replyBlocks(withTexts(alert, text), renderer, { alertId: "a-1", picture: null }),
    // If it has only these texts, nothing is left.
    ...(details.length === 0 ? [] : [details]),
    digestBlocks(withTexts(digest, text), renderer),
  ]) {
    expect(faultOfMessage("text", blocks), attack).toBeNull();
    for (const [, url] of JSON.stringify(blocks).matchAll(/"url":"([^"]*)"/g))
      expect(url).toMatch(/^https?:/);
  }
}

/** The view with that text in every field that is not ours (ours: severities, kinds, zones, addresses). */
function withTexts<T>(view: T, text: string): T {
  return replaceTexts(view, text, "") as T;
}

function replaceTexts(value: unknown, text: string, field: string): unknown {
  if (typeof value === "string") return OURS.test(field) ? value : text;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, text, field));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaceTexts(item, text, name)]),
  );
}

const OURS = /^(kind|severity|state|timezone|language|url|consoleUrl|unsubscribeUrl)$/;

function withUrls(value: object, url: string): object {
  const replaced = JSON.parse(JSON.stringify(value), (field, item: unknown) =>
    /^(u|consoleU|unsubscribeU)rl$/.test(field) ? url : item,
  );
  return replaced as object;
}
