import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EmailMessage, InboxMessage, SlackMessage } from "../../src/console/inbox/inbox-view.ts";
import { renderSlackMessage } from "../../src/console/inbox/render-slack-message.ts";
import type { ExplainedMention, ExplainedUnread } from "../../src/console/pages/why-mention.ts";
import { storableText } from "../../src/lib/text.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import { signAlertLink } from "../../src/monitor/model/alert-action.ts";
import type { Mention } from "../../src/monitor/model/mention.ts";
import type { MessageContent } from "../../src/monitor/notify/define-notifier.ts";
import { previewMessage } from "../../src/monitor/notify/preview-message.ts";
import { createPreviews } from "../../src/monitor/notify/previews/create-previews.ts";
import { createAlertExplainer } from "../../src/monitor/notify/view/alert-chart.ts";
import { createRenderer } from "../../src/monitor/templates/create-renderer.ts";
import { safeUrl } from "../../src/monitor/templates/escape.ts";
import { sampleAlertViews } from "../../src/monitor/templates/sample-alert-views.ts";
import type { AlertView } from "../../src/monitor/templates/view.ts";
import { anyText } from "../fixtures/any-text.ts";
import { type Attack, attacks, hostileUrls } from "../fixtures/attacks.ts";
import { withHostileAnswers, withTexts } from "../fixtures/hostile-facts.ts";
import { aMention } from "../mention.ts";
import { anAlert, makeAStory, PROJECT } from "./make-a-story.ts";
import { readTags, shapeOf } from "./read-tags.ts";
import { SECRET, startTestConsole, type TestConsole } from "./start-test-console.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const GOOD = ["https://www.social.example/status/1"];
const PLAIN_TEXT: readonly Attack[] = [{ name: "harmless", text: "harmless" }];

let web: TestConsole;
/** The pages, by address. */
let paths: readonly string[];
/** Shapes of tags and names of headers of each page with plain texts. */
const usual = new Map<string, ReadonlySet<string>>();

/** Texts of strangers, one after the other, as far as the tables can hold them. */
let texts: readonly Attack[] = PLAIN_TEXT;
let turn = 0;
let addresses: readonly string[] = GOOD;
const nextText = (field = "") => {
  const from = /^url$|Url$/.test(field) ? addresses : texts.map(({ text }) => text);
  return storableText(from[turn++ % from.length] ?? "");
};

const renderer = await createRenderer({ folder: "templates" });

function content(): MessageContent {
  const [view] = sampleAlertViews;
  // The builder of a view puts no other address into it.
  const safe = (field: string) => (/^url$|Url$/.test(field) ? (safeUrl(nextText(field)) ?? "") : nextText());
  return { kind: "fired", view: withTexts({ ...view, timezone: null }, safe) as AlertView };
}

beforeAll(async () => {
  web = await startTestConsole(NOW, {
    defaults: ({ facts, actions }) => ({
      facts: withHostileAnswers(facts, nextText),
      actions: withHostileAnswers(actions, nextText),
    }),
    deps: {
      explainer: createAlertExplainer("UTC"),
      waits: async () => [
        { receiver: nextText(), waiting: 1, outcome: "Refused", forMs: null, because: nextText() },
      ],
      explainMention: async (text) => (text === "nothing" ? [] : [explained()]),
      explainUnread: async () => unread(),
      previews: createPreviews({
        renderer,
        digests: () => [],
        editionOf: async () => null,
        contentOf: async () => content(),
      }),
      inbox: {
        list: async () => inbox(),
        find: async () => inbox()[1] ?? null,
        findFile: async () => null,
        renderSlack: (blocks, fallback, form) =>
          renderSlackMessage(
            blocks,
            fallback,
            undefined,
            form === undefined ? null : { ...form, people: [{ id: "U0", name: nextText() }] },
          ),
        press: async () => ({ outcome: "Refused", because: nextText() }),
      },
      unsubscribing: {
        find: async () => ({ digest: nextText(), receiver: nextText(), isSubscribed: true }),
        set: async () => ({ digest: nextText(), receiver: nextText(), isSubscribed: false }),
      },
      whatHappensNext: () => nextText(),
    },
  });
  const { crisis, single, over } = await makeAStory(web.stores, NOW);
  await web.stores.alerts.explain(PROJECT, crisis.id, EXPLANATION, 0);
  const silence = {
    match: { query: ["x*"] },
    by: { via: "page", login: "x", typed: "x" } as const,
    comment: "x",
    lengthMs: 3_600_000,
  };
  await createAlertActions(web).addSilence(silence);
  const link = signAlertLink(SECRET, { alertId: crisis.id, action: "acknowledge", by: "desk" }, NOW);
  paths = [
    ...[
      "/",
      "/alerts?state=all",
      "/mentions",
      "/insights",
      "/insights/speakers",
      "/insights/stories",
      "/insights/response",
      "/health",
    ],
    ...["/silences", "/inbox", "/unsubscribe/x"],
    ...[crisis, single, over].map(({ id }) => `/alerts/${id}`),
    `/preview?alert=${crisis.id}`,
    `/act/${link}`,
    `/alerts/${crisis.id}?part=story`,
    ...[
      "/?part=mentions",
      "/mentions?contains=%28open",
      "/mentions?contains=e",
      "/views?save=%2Fmentions%3Fcontains%3Dx",
    ],
    "/why?of=x",
    "/why?of=nothing",
    "/nothing",
  ];
  for (const path of paths) {
    const { tags, headers } = await ask(path);
    usual.set(path, new Set([...tags.map(shapeOf), ...headers]));
  }
}, 60_000);
afterAll(() => web.close());
beforeEach(() => {
  texts = attacks;
  turn = 0;
  addresses = GOOD;
});

test("no page has a tag, an attribute, a link or a header that is not ours, whatever attack is in its facts", async () => {
  for (const path of paths) {
    turn = 0;
    // Request every page until each attack has been in it, each time in the next field.
    for (let asked = 0; turn < attacks.length && asked < 40; asked++) await expectOurs(path);
  }
}, 120_000);

test("no page has one of any text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 20 }), async (any) => {
      texts = any.map((text) => ({ name: JSON.stringify(text), text }));
      turn = 0;
      for (const path of paths.slice(0, 8)) await expectOurs(path);
    }),
    { numRuns: 15 },
  );
}, 120_000);

test("request parameters come back as text", async () => {
  texts = PLAIN_TEXT;
  const known = new Set([...usual.values()].flatMap((shapes) => [...shapes]));
  const asked = attacks.filter(({ text }) => text.length < 1_000);
  for (let at = 0, round = 0; at < asked.length; round++) {
    const [path, ...fields] = QUESTIONS[round % QUESTIONS.length] ?? ["/"];
    const question = fields.map((field): [string, string] => [
      field,
      storableText(asked[at++ % asked.length]?.text ?? ""),
    ]);
    const address = `${path}?${new URLSearchParams(question)}`;
    const { tags, headers } = await ask(address);
    expect(
      [...tags.map(shapeOf), ...headers].filter((shape) => !known.has(shape)),
      address,
    ).toEqual([]);
    for (const { attributes } of tags) expectOwnLinks(attributes, address);
  }
}, 60_000);

/** The parameters of pages, each with another attack. */
const QUESTIONS = [
  ["/mentions", "contains", "query", "sentiment", "after"],
  ["/alerts", "state", "before", "after", "part"],
  ["/preview", "about", "sample", "alert", "part"],
  ["/inbox", "place", "to", "message", "mail"],
  ["/why", "of"],
] as const;

test("a hostile address is no link on any page", async () => {
  texts = PLAIN_TEXT;
  addresses = hostileUrls;
  for (const path of paths.slice(0, 10)) {
    turn = 0;
    const { tags } = await ask(path);
    for (const { attributes } of tags) expectOwnLinks(attributes, path);
  }
});

async function expectOurs(path: string): Promise<void> {
  const before = turn;
  const { tags, headers } = await ask(path);
  const shown = texts.slice(before % texts.length).slice(0, turn - before);
  const first = `${path}: ${shown[0]?.name} and what follows`;
  const known = usual.get(path) ?? new Set();
  expect(
    [...tags.map(shapeOf), ...headers].filter((shape) => !known.has(shape)),
    first,
  ).toEqual([]);
  for (const { attributes } of tags) expectOwnLinks(attributes, first);
}

/** Links lead to pages of ours, or to the addresses that the story's mentions have. */
function expectOwnLinks(attributes: Readonly<Record<string, string>>, name: string): void {
  for (const field of ["href", "src", "action", "srcset", "hx-get", "sse-connect"]) {
    const target = attributes[field];
    if (target !== undefined)
      expect(target, name).toMatch(/^(\/(?!\/)|#|https:\/\/(www\.social|www\.courier|[a-z]+)\.example\/)/);
  }
}

async function ask(path: string) {
  // Whether an answer is long enough to be compressed depends on its texts.
  const answer = await fetch(`${web.url}${path}`, {
    headers: { accept: "text/html", "accept-encoding": "identity" },
    redirect: "manual",
  });
  return {
    tags: readTags(await answer.text()),
    headers: [...answer.headers.keys()].map((name) => `${name}:`),
  };
}

/** A mention that one rule met, one counts and one met too late, and its alert. */
function explained(): ExplainedMention {
  const seen = (kind: string, matchedAt: number | null) => ({
    ...{ rule: nextText(), kind, outcome: matchedAt === null ? "LimitNotReached" : "Alerted" },
    ...{ because: nextText(), matchedAt, alertId: null },
    window: { from: NOW, to: NOW, countsFrom: NOW },
  });
  return {
    mention: withTexts(aMention({ url: GOOD[0] ?? null }), nextText) as Mention,
    ...{ projectId: PROJECT, queryName: nextText(), seenAt: NOW },
    rules: [seen("mention", NOW), seen("window", null), seen("mention", null)],
    alerts: [{ alert: withTexts(anAlert({ openedAt: NOW }), nextText) as Alert }],
  };
}

function unread(): ExplainedUnread {
  const rule = { rule: nextText(), kind: "mention", met: false, because: nextText() };
  const query = { projectId: PROJECT, queryName: nextText(), outcome: "NotInQuery", because: nextText() };
  return { queries: [query], withheld: [nextText()], rules: [rule] };
}

/** The messages of the notifiers for hostile facts, with hostile words around them. */
function inbox(): InboxMessage[] {
  const { slack, email } = previewMessage(content(), renderer);
  return [
    { ...(withTexts(SLACK, nextText) as SlackMessage), ...slack },
    { ...(withTexts(EMAIL, nextText) as EmailMessage), ...email },
  ];
}

const SLACK: SlackMessage = {
  kind: "slack",
  id: "s-1",
  receivedAt: NOW,
  channel: "C1",
  channelName: "x",
  ts: "1.0",
  threadTs: null,
  text: "x",
  blocks: [],
  editedAt: null,
};
const EMAIL: EmailMessage = {
  kind: "email",
  id: "e-1",
  receivedAt: NOW,
  from: "x",
  to: ["x"],
  subject: "x",
  messageId: "x",
  headers: [{ name: "x", value: "x" }],
  text: "x",
  html: "x",
};

const EXPLANATION = {
  notifyCount: 1,
  since: NOW - 3_600_000,
  largest: null,
  looked: { now: 62, before: 40 },
  authors: { count: 58, loudest: [{ name: "x", mentions: 9 }] },
  reposts: { now: 0, before: 0 },
  negative: null,
  topics: [{ name: "x", now: 0.5, before: 0.1 }],
  domains: [{ name: "x", now: 0.5, before: 0.1 }],
  words: ["x"],
  completeUntil: null,
  chart: {
    counted: "x",
    columnMs: 900_000,
    columns: Array.from({ length: 96 }, (_, i) => ({
      at: NOW - (96 - i) * 900_000,
      count: i,
      expected: 5,
      ordinary: 12,
    })),
  },
};
