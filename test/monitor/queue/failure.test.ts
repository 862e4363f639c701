import { UnrecoverableError } from "bullmq";
import { afterEach, expect, test, vi } from "vitest";
import { ClassifiedError } from "../../../src/lib/retry.ts";
import {
  createQueueErrors,
  describeQueueError,
  isFinal,
  retryAfterOf,
  toJobError,
} from "../../../src/monitor/queue/failure.ts";

class VendorError extends ClassifiedError {}

afterEach(() => void vi.useRealTimers());

test.each([
  ["an error that nobody classified", new Error("odd"), { final: false, after: undefined }],
  [
    "one that may be retried",
    new VendorError("busy", { retryable: true }),
    { final: false, after: undefined },
  ],
  [
    "one that says when",
    new VendorError("slow down", { retryable: true, retryAfterMs: 1_500 }),
    { final: false, after: 1_500 },
  ],
  [
    "one that no retry helps",
    new VendorError("gone", { retryable: false }),
    { final: true, after: undefined },
  ],
  ["a text that was thrown", "odd", { final: false, after: undefined }],
])("a job's failure: %s", (_, thrown, expected) => {
  const error = toJobError(thrown);
  expect({ final: isFinal(error), after: retryAfterOf(error) }).toEqual(expected);
  expect(error instanceof UnrecoverableError).toBe(expected.final);
});

test("a job keeps one sentence of a failure, with its cause, and no stack", () => {
  const error = toJobError(new Error("not sent", { cause: new Error("hung up") }));
  expect(error.message).toBe("not sent (hung up)");
  expect(error.stack).toBe("RetryLater: not sent (hung up)");
  expect(toJobError(new Error("x".repeat(5_000))).message).toHaveLength(1_000);
});

test.each([
  [new Error("reset"), "reset"],
  [new Error("not added", { cause: new Error("reset") }), "not added (reset)"],
  [new Error("not added", { cause: "reset" }), "not added (reset)"],
  ["reset", "reset"],
])("what people read of an engine's error: %s", (thrown, sentence) => {
  expect(describeQueueError(thrown)).toBe(sentence);
});

test("the same problem of an engine is logged once in ten seconds, another one at once", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const lines: string[] = [];
  const log = { warn: ({ error }: { error: string }) => lines.push(error) };
  const onError = createQueueErrors(log as never);
  onError(new Error("refused"));
  onError(new Error("refused"));
  onError(new Error("reset"));
  vi.advanceTimersByTime(9_999);
  onError(new Error("refused"));
  expect(lines).toEqual(["refused", "reset"]);
  vi.advanceTimersByTime(1);
  onError(new Error("refused"));
  expect(lines).toEqual(["refused", "reset", "refused"]);
});

test("a hundred problems are remembered, and a flood of new ones takes no memory", () => {
  const lines: string[] = [];
  const log = { warn: ({ error }: { error: string }) => lines.push(error) };
  const onError = createQueueErrors(log as never);
  for (let n = 0; n <= 100; n++) onError(new Error(`problem ${n}`));
  onError(new Error("problem 0"));
  expect(lines).toHaveLength(101);
  onError(new Error("problem 101"));
  onError(new Error("problem 0"));
  expect(lines.slice(101)).toEqual(["problem 101", "problem 0"]);
});
