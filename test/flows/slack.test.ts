import { pino } from "pino";
import { expect, test } from "vitest";
import { createSlackActions } from "../../src/monitor/notify/notifiers/slack/slack-actions.ts";
import { onAnyEngine } from "./on-every-engine.ts";
import { CROWD } from "./rules.ts";
import type { Story } from "./story.ts";

/** A channel as people see it: each message with its replies. */
async function liveMessages(story: Story, channel: string) {
  const messages = (await story.slack.messages()).filter(({ channelName }) => `#${channelName}` === channel);
  return messages
    .filter(({ threadTs }) => threadTs === null)
    .map((message) => ({
      message,
      shows: JSON.stringify(message.blocks),
      answers: messages
        .filter(({ threadTs }) => threadTs === message.ts)
        .map(({ text, files, broadcast, metadata }) => {
          if (files !== undefined) return "a picture";
          if (metadata?.payload["part"] === "details") return "details";
          return `${broadcast ? "in the channel: " : ""}${text.split(/[:.]/, 1)[0] ?? ""}`;
        }),
    }));
}

onAnyEngine((begin) => {
  test("one message follows its alert from the first mention to its end, and its buttons act", async () => {
    const story = await begin({
      rules: { crowd: CROWD },
      routes: [{ receivers: ["alerts"], repeatEvery: "30m" }],
      receiverSettings: { alerts: { appToken: "xapp-1-very-secret-app-token" } },
    });
    const { at, until, settle, earshot, slack } = story;
    at("09:00").mentions("Acme", { count: 6, every: "10m" });
    at("10:00").mentions("Acme", { count: 90, every: "1m" });
    await until("10:20", "20m");
    const [first, ...others] = await liveMessages(story, "#alerts");
    expect(others).toEqual([]);
    expect(first?.answers.slice(0, 2).sort()).toEqual(["a picture", "details"]);
    expect(first?.shows).toContain("slack_file");
    expect(first?.message.editedAt).not.toBeNull();

    await until("10:40");
    const grown = (await liveMessages(story, "#alerts"))[0];
    const soFar = (shows = "") => Number(/(\d+) (?:negative )?mentions so far/.exec(shows)?.[1]);
    expect(soFar(grown?.shows)).toBeGreaterThan(soFar(first?.shows));

    const log = pino({ level: "silent" });
    const press = createSlackActions({ actions: story.actions, log });
    if (grown === undefined) throw new Error("the message is gone");
    const app = { token: slack.token, apiUrl: slack.apiUrl, appToken: slack.appToken };
    await press(slack.press(grown.message, "earshot-acknowledge"), app);
    await settle();
    expect((await liveMessages(story, "#alerts"))[0]?.shows).toContain(
      "Acknowledged by *Ann Example (U0ANN)*",
    );

    for (const message of await slack.messages()) await slack.remove(message);
    await until("10:50");
    const anew = await liveMessages(story, "#alerts");
    expect(anew.map(({ answers }) => answers.toSorted())).toEqual([["a picture", "details"]]);
    expect(anew[0]?.shows).toContain("Acknowledged by");

    await until("12:45", "15m");
    const over = await liveMessages(story, "#alerts");
    expect(over).toHaveLength(1);
    expect(over[0]?.shows).toContain("Resolved: Acme");
    expect(over[0]?.shows).not.toContain("earshot-acknowledge");
    // The end is said, and the chart is drawn once more beneath it.
    expect(over[0]?.answers.slice(-2)).toEqual(["Resolved", "a picture"]);
    expect(await story.query("select alert_id from earshot.alert_messages where watched")).toEqual([]);
    const [alert] = await earshot.stores.alerts.openedBetween(0, Number.MAX_SAFE_INTEGER);
    const events = await earshot.stores.alerts.events(alert?.projectId ?? "", alert?.id ?? "");
    expect(events.map(({ what, detail }) => `${what} ${detail}`)).toContain(
      "AcknowledgedBy by Ann Example (U0ANN)",
    );
  });
});
