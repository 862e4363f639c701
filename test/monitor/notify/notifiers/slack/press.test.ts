import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultOfMessage } from "../../../../../src/console/inbox/slack-limits.ts";
import { MINUTE, SECOND } from "../../../../../src/lib/instant.ts";
import { SILENCE_LENGTHS } from "../../../../../src/monitor/model/silence.ts";
import { actionBlocks, alertBlocks } from "../../../../../src/monitor/notify/notifiers/slack/alert-blocks.ts";
import {
  isSignedBySlack,
  readInteraction,
} from "../../../../../src/monitor/notify/notifiers/slack/interaction.ts";
import { sampleAlertViews } from "../../../../../src/monitor/templates/sample-alert-views.ts";
import { notifierDeps } from "../../../../contracts/notifier.ts";
import { runs } from "../../../../runs.ts";

const ALERT = "019c0000-0000-7000-8000-000000000001";

function payload(button: object, more: object = {}) {
  return {
    type: "block_actions",
    user: { id: "U0ANN", username: "ann", name: "ann" },
    team: { id: "T1" },
    channel: { id: "C1" },
    message: { ts: "1.2" },
    response_url: "https://hooks.slack.com/actions/T1/1/x",
    actions: [{ block_id: `earshot-alert:${ALERT}`, action_ts: "1771864900.0001", ...button }],
    ...more,
  };
}

describe("an interaction", () => {
  it("names the alert, the action and the person", () => {
    const actions = [
      [{ action_id: "earshot-acknowledge" }, { do: "acknowledge" }],
      [{ action_id: "earshot-resolve" }, { do: "resolve" }],
      [{ action_id: "earshot-not-relevant" }, { do: "not-relevant" }],
      [
        { action_id: "earshot-assign", selected_user: "U0BO" },
        { do: "assign", userId: "U0BO" },
      ],
      ...SILENCE_LENGTHS.map((lengthMs, index) => [
        { action_id: "earshot-silence", selected_option: { value: silenceValues()[index] } },
        { do: "silence", lengthMs },
      ]),
    ] as const;
    for (const [button, action] of actions) {
      expect(readInteraction(payload(button))).toMatchObject({
        outcome: "Pressed",
        interaction: { alertId: ALERT, action, user: { id: "U0ANN", name: "ann" } },
      });
    }
  });

  it("has the same id on every repeat, and another one for every other click", () => {
    const ids = [
      payload({ action_id: "earshot-acknowledge" }),
      payload({ action_id: "earshot-acknowledge" }, { trigger_id: "sent again", response_url: undefined }),
      payload({ action_id: "earshot-acknowledge", action_ts: "1771864901.0001" }),
      payload({ action_id: "earshot-resolve" }),
      payload({ action_id: "earshot-acknowledge" }, { user: { id: "U0BO" } }),
      payload({ action_id: "earshot-acknowledge" }, { message: { ts: "1.3" } }),
    ].map((one) => {
      const read = readInteraction(one);
      return read.outcome === "Pressed" ? read.interaction.id : "";
    });
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(5);
  });

  it("is not ours if it follows a link, is of another app's row, or of another kind", () => {
    for (const one of [
      payload({ action_id: "open-in-earshot" }),
      payload({ action_id: "earshot-resolve", block_id: "theirs" }),
      { type: "view_submission", user: { id: "U1" } },
      { type: "shortcut" },
    ])
      expect(readInteraction(one)).toEqual({ outcome: "NotOurs" });
  });

  it("is refused with an action, length, alert or person that we do not offer, without quoting it", () => {
    const secret = "a-secret-that-nobody-logs";
    for (const one of [
      payload({ action_id: "earshot-delete-everything" }),
      payload({ action_id: "earshot-silence", selected_option: { value: "9000d" } }),
      payload({ action_id: "earshot-silence" }),
      payload({ action_id: "earshot-assign" }),
      payload({ action_id: "earshot-correct", selected_option: { value: secret } }),
      payload({ action_id: "earshot-correct", selected_option: { value: `["angry","q","${secret}"]` } }),
      payload({ action_id: "earshot-assign", selected_user: "<!channel>" }),
      payload({ action_id: "earshot-resolve", block_id: `earshot-alert:${secret}' or 1=1` }),
      payload({ action_id: "earshot-resolve" }, { user: { id: secret } }),
      payload({ action_id: "earshot-resolve" }, { response_url: `javascript:${secret}`, actions: [] }),
      { type: 7, token: secret },
      null,
      "block_actions",
      [],
    ]) {
      const read = readInteraction(one);
      expect(read.outcome).toBe("Unfit");
      expect(JSON.stringify(read)).not.toContain(secret);
    }
  });

  it("is parsed without an exception, whatever it holds", () => {
    const bent = fc.record({
      type: fc.constant("block_actions"),
      user: fc.anything(),
      actions: fc.anything(),
    });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), bent), (any) => {
        expect(["Pressed", "NotOurs", "Unfit"]).toContain(readInteraction(any).outcome);
      }),
      { numRuns: runs(300) },
    );
  });
});

/** As the message offers them. */
function silenceValues(): readonly string[] {
  const [view] = sampleAlertViews;
  const [row] = actionBlocks(view, ALERT) as { elements: { options?: { value: string }[] }[] }[];
  return (row?.elements ?? []).flatMap(({ options = [] }) => options.map(({ value }) => value));
}

describe("the actions on an alert", () => {
  const deedsOf = (view: (typeof sampleAlertViews)[number], alertId: string | null = ALERT) =>
    (actionBlocks(view, alertId) as { elements: { action_id: string }[] }[]).flatMap(({ elements }) =>
      elements.map((element) => element.action_id.replace("earshot-", "")),
    );
  const [fired] = sampleAlertViews;
  const handling = {
    acknowledgedBy: null,
    assignee: null,
    closedBy: null,
    endedBecause: null,
    isRelevant: true,
    corrected: null,
  };

  it("are those that would not be refused", () => {
    expect(deedsOf(fired)).toEqual([
      "acknowledge",
      "assign",
      "silence",
      "resolve",
      "not-relevant",
      "open-in-earshot",
    ]);
    expect(
      deedsOf({ ...fired, state: "acknowledged", handling: { ...handling, acknowledgedBy: "Ann" } }),
    ).not.toContain("acknowledge");
    const over = { ...fired, state: "resolved", resolvedAt: fired.openedAt } as const;
    expect(deedsOf(over)).toEqual(["not-relevant", "open-in-earshot"]);
    expect(deedsOf({ ...over, handling: { ...handling, isRelevant: false } })).toEqual(["open-in-earshot"]);
    expect(deedsOf({ ...fired, kind: "test" })).toEqual(["open-in-earshot"]);
  });

  it("offer the sentiments that the one mention does not have, and read the choice back", () => {
    const categories = [
      { id: 7, name: "Delivery: Late", isIn: false },
      { id: 8, name: "Delivery: Lost", isIn: true },
    ];
    const mention = { queryId: "feeds-1", resourceId: "abc", sentiment: "negative", categories };
    const choices = (correctable: (typeof fired)["correctable"], menu = "earshot-correct") =>
      (actionBlocks({ ...fired, correctable }, ALERT) as unknown as Row[]).flatMap(({ elements }) =>
        elements.flatMap((one) => (one.action_id === menu ? (one.options ?? []) : [])),
      );
    interface Row {
      elements: { action_id: string; options?: { text: { text: string }; value: string }[] }[];
    }
    expect(choices(mention).map(({ text }) => text.text)).toEqual([
      "Not negative: positive",
      "Not negative: neutral",
    ]);
    expect(choices({ ...mention, sentiment: null })).toHaveLength(3);
    expect(choices(null)).toEqual([]);
    // Slack refuses the whole message for a value that is too long.
    expect(choices({ ...mention, resourceId: "x".repeat(150) })).toEqual([]);
    for (const { value } of choices(mention))
      expect(
        readInteraction(payload({ action_id: "earshot-correct", selected_option: { value } })),
      ).toMatchObject({
        interaction: { action: { do: "correct", correction: { queryId: "feeds-1", resourceId: "abc" } } },
      });
    const menu = "earshot-categorize";
    expect(choices(mention, menu).map(({ text }) => text.text)).toEqual([
      "Not Delivery: Lost",
      "Delivery: Late",
    ]);
    const read = choices(mention, menu).map(({ value }) =>
      readInteraction(payload({ action_id: menu, selected_option: { value } })),
    );
    expect(read).toMatchObject([
      { interaction: { action: { correction: { category: 8, isIn: false } } } },
      { interaction: { action: { correction: { category: 7, isIn: true } } } },
    ]);
    expect(choices({ ...mention, categories: [] }, menu)).toEqual([]);
    const many = Array.from({ length: 150 }, (_, n) => ({ id: n + 1, name: `C${n}`, isIn: n === 149 }));
    const shown = choices({ ...mention, categories: many }, menu).map(({ text }) => text.text);
    expect(shown.slice(0, 3)).toEqual(["Not C149", "C0", "C1"]);
  });

  it("leave room for the rest of the message, however many categories there are", async () => {
    const { renderer } = await notifierDeps();
    const context = { alertId: ALERT, picture: null };
    const single = sampleAlertViews.find(({ isSingle, kind }) => isSingle && kind === "fired");
    if (single === undefined) throw new Error("no sample of one mention");
    const blocksWith = (count: number) => {
      const categories = Array.from({ length: count }, (_, n) => ({
        ...{ id: 1_000_000 + n, isIn: false },
        name: `Delivery "${n}": ${"late ".repeat(9)}`,
      }));
      const correctable = {
        queryId: "feeds-1234",
        resourceId: "x".repeat(64),
        sentiment: "negative",
        categories,
      };
      return alertBlocks({ ...single, correctable }, renderer, context);
    };
    const types = (count: number) => blocksWith(count).map(({ type }) => type);
    expect(types(150)).toEqual(types(1));
    expect(types(1)).toContain("actions");
    expect(faultOfMessage("text", blocksWith(150))).toBeNull();
  });

  it("are only the link to the page if nobody listens, and none without a page", () => {
    expect(deedsOf(fired, null)).toEqual(["open-in-earshot"]);
    expect(actionBlocks({ ...fired, consoleUrl: null }, null)).toEqual([]);
  });
});

describe("a signature of Slack's", () => {
  const now = Date.UTC(2026, 1, 23, 16, 40);
  const secret = "8f742231b10e8888abcd99yyyzzz85a5";
  const signed = (body: string, at = now, by = secret) => {
    const timestamp = String(Math.floor(at / SECOND));
    const hash = createHmac("sha256", by).update(`v0:${timestamp}:${body}`).digest("hex");
    return { body, timestamp, signature: `v0=${hash}` };
  };

  it("is valid for the signed body, for five minutes", () => {
    expect(isSignedBySlack(secret, signed("payload=x"), now)).toBe(true);
    expect(isSignedBySlack(secret, signed("payload=x", now - 5 * MINUTE), now)).toBe(true);
    expect(isSignedBySlack(secret, signed("payload=x", now - 5 * MINUTE - SECOND), now)).toBe(false);
    expect(isSignedBySlack(secret, signed("payload=x", now + 6 * MINUTE), now)).toBe(false);
  });

  it("is the one of Slack's documentation", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    const request = { body, timestamp: "1531420618", signature };
    expect(isSignedBySlack(secret, request, 1_531_420_618_000)).toBe(true);
    expect(isSignedBySlack(secret, { ...request, body: `${body}&x=1` }, 1_531_420_618_000)).toBe(false);
  });

  it("is not valid with another secret, another time, or in another format", () => {
    const good = signed("payload=x");
    for (const wrong of [
      signed("payload=x", now, "another secret"),
      { ...good, body: "payload=y" },
      { ...good, timestamp: String(Number(good.timestamp) - 1) },
      { ...good, timestamp: `${good.timestamp}.5` },
      { ...good, timestamp: "" },
      { ...good, timestamp: "NaN" },
      { ...good, signature: good.signature.slice(3) },
      { ...good, signature: good.signature.toUpperCase() },
      { ...good, signature: "" },
      { ...good, signature: "v0=" },
    ])
      expect(isSignedBySlack(secret, wrong, now)).toBe(false);
  });
});
