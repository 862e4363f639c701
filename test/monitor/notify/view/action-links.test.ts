import { expect, test } from "vitest";
import { parseConfig } from "../../../../src/admin/config/config.ts";
import { createManualClock } from "../../../../src/lib/clock.ts";
import { DAY } from "../../../../src/lib/instant.ts";
import { readAlertLink } from "../../../../src/monitor/model/alert-action.ts";
import { createActionLinks } from "../../../../src/monitor/notify/view/signed-links.ts";
import { alertOf } from "../alert-of.ts";

const ALERT = alertOf({ id: "0199b2c4-7d1a-7000-8000-000000000000" });
const { receivers } = await parseConfig({
  source: { baseUrl: "https://listening.example", username: "a", password: "b", clientId: "c" },
  receivers: [
    { name: "comms", kind: "slack", channel: "#a", token: "xoxb-1" },
    {
      name: "ann",
      kind: "email",
      to: "ann@a.example",
      from: "e@a.example",
      smtp: { host: "mail.a.example" },
    },
  ],
  routes: [{ receivers: ["comms"] }],
});
const linksOf = (url: string | null) =>
  createActionLinks({ receivers, secret: "s", consoleUrl: () => url, clock: createManualClock(1_000) });

test("a mail gets a link for each action, each for this alert and this reader, and valid for a week", () => {
  const links = linksOf("https://earshot.example")(ALERT, "ann");
  expect(links.map(({ label }) => label)).toEqual([
    "Acknowledge",
    "Assign",
    "Resolve",
    "Not relevant",
    "Snooze for 4 hours",
  ]);
  const token = links[0]?.url.replace("https://earshot.example/act/", "") ?? "";
  expect(readAlertLink("s", token, 1_000)).toEqual({ alertId: ALERT.id, action: "acknowledge", by: "ann" });
  expect(readAlertLink("s", token, 1_000 + 7 * DAY)).toBeNull();
  expect(readAlertLink("other", token, 1_000)).toBeNull();
});

test("no links for other kinds of receivers, without a page, or for a resolved alert", () => {
  expect(linksOf("https://earshot.example")(ALERT, "comms")).toEqual([]);
  expect(linksOf(null)(ALERT, "ann")).toEqual([]);
  expect(linksOf("https://earshot.example")({ ...ALERT, resolvedAt: 1 }, "ann")).toEqual([]);
});
