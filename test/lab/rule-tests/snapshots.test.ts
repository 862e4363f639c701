import { expect, test } from "vitest";
import { messagePage } from "../../../src/lab/rule-tests/message-page.ts";
import type { ObservedMessage } from "../../../src/lab/rule-tests/observed.ts";
import { snapshotOf } from "../../../src/lab/rule-tests/snapshots.ts";

const alert = {
  severity: "critical",
  ruleName: "storm",
  announcement: { query: "Acme", text: "60 mentions" },
};
const MESSAGE: ObservedMessage = {
  at: 0,
  kind: "webhook",
  receiver: "hook",
  alertIds: ["a"],
  isEdit: false,
  html: null,
  text: JSON.stringify({ version: 1, sentAt: "2026-03-02T08:00:00Z", kind: "fired", alert }),
};

test("what a webhook got stands in the snapshot and on the page of a test", () => {
  const snapshot = snapshotOf([MESSAGE], () => "08:00");
  expect(snapshot).toBe("=== 08:00  webhook to hook\n\nfired, critical, storm\nAcme: 60 mentions\n");
  const page = messagePage("A test", [{ heading: "", messages: [MESSAGE] }], () => "08:00");
  expect(page).toContain("Acme: 60 mentions");
  expect(page).not.toContain("No message was sent");
});
