import { expect, test } from "vitest";
import { Statement, Text } from "../../../src/console/incident-requests.ts";

test("a text of 4,000 letters is taken, whatever its lines end with", () => {
  const sent = `${"line\r\n".repeat(799)}line.`;
  expect(sent.length).toBe(4_799);
  expect(Text.parse({ text: sent }).text).toBe(sent.replaceAll("\r", ""));
  expect(Statement.parse({ status: "Over", text: sent }).text).toHaveLength(4_000);
  expect(Text.safeParse({ text: "x".repeat(4_001) }).success).toBe(false);
});
