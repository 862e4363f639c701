import { expect, test } from "vitest";
import { worthReminding } from "../../src/monitor/handlers.ts";
import type { PendingNotification } from "../../src/monitor/model/notification.ts";

function pending(receiver: string, n: number): PendingNotification {
  const digest = { digest: null, createdAt: 0, reason: "Fired", kind: "fired" as const };
  return { id: `${receiver}-${n}`, projectId: "p", receiver, alertId: `a${n}`, ...digest };
}

test("a storm of notifications adds a few jobs for each receiver", () => {
  const storm = Array.from({ length: 10_000 }, (_, n) => pending("hook", n));
  const few = [pending("mail", 1), pending("mail", 2)];
  const reminded = worthReminding([...storm, ...few]).map(({ id }) => id);
  expect(reminded).toEqual(["hook-0", "hook-1", "hook-2", "hook-3", "mail-1", "mail-2"]);
});
