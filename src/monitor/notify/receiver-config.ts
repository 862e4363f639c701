import { z } from "zod";
import { describeIssues } from "../../lib/describe-issues.ts";
import type { Issue } from "../../lib/errors.ts";
import { QuietHours } from "./decide/quiet-hours.ts";
import { STORM_THROTTLE, Throttle } from "./decide/throttle.ts";
import type { ConfigContext } from "./define-notifier.ts";
import { definitionOf, NotifierConfig } from "./notifiers.ts";

/** The fields of every kind of receiver. */
export const Receiver = z.object({
  name: z
    .string()
    .min(1)
    .describe("Name of the receiver, for routes, escalations and digests. Example: on-call"),
  quietHours: z
    .array(QuietHours)
    .default([])
    .describe("Times of the week at which it gets no messages. They are sent afterwards, if still of use."),
  throttle: Throttle.exactOptional().describe(
    "The most messages that it gets in a time, or none. Default: 10 per 10m, and none for a program (webhook).",
  ),
});

/** The fields of every receiver, and its notifier. */
export interface ReceiverConfig extends Omit<z.output<typeof Receiver>, "throttle"> {
  /** Null for `throttle: none`, or if a program reads the messages. */
  readonly throttle: Throttle | null;
  readonly notifier: NotifierConfig;
  /** A program reads its messages. */
  readonly readByProgram: boolean;
}

/** Reads the receivers even if the configuration has other faults, so that one check finds all faults. */
export function readReceivers(content: unknown, issues: Issue[]): ReceiverConfig[] {
  return receiversIn(content).flatMap((entry, index) => readReceiver(entry, index, issues));
}

function receiversIn(content: unknown): readonly unknown[] {
  if (typeof content !== "object" || content === null || !("receivers" in content)) return [];
  return Array.isArray(content.receivers) ? content.receivers : [];
}

/** A receiver is a name, its manners, and what the notifier of its kind needs. */
function readReceiver(entry: unknown, index: number, issues: Issue[]): ReceiverConfig[] {
  const path = ["receivers", index];
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    issues.push({ path, message: "expected a receiver with a name and a kind" });
    return [];
  }
  const { name, quietHours, throttle, ...rest } = entry as Record<string, unknown>;
  const isOff = throttle === "none";
  const manners = Receiver.safeParse({
    name,
    quietHours,
    ...(throttle !== undefined && !isOff && { throttle }),
  });
  const notifier = NotifierConfig.safeParse(rest);
  for (const [result, schema] of [
    [manners, Receiver],
    [notifier, NotifierConfig],
  ] as const) {
    if (result.success) continue;
    const found = describeIssues(result.error, schema, entry);
    issues.push(...found.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
  }
  if (!manners.success || !notifier.success) return [];
  const { readByProgram = false } = definitionOf(notifier.data);
  const usual = readByProgram ? null : STORM_THROTTLE;
  return [
    {
      ...manners.data,
      throttle: isOff ? null : (manners.data.throttle ?? usual),
      notifier: notifier.data,
      readByProgram,
    },
  ];
}

/** Faults of valid receivers that show only together with other parts of the configuration. */
export function checkReceivers(
  context: ConfigContext,
  receivers: readonly ReceiverConfig[],
  issues: Issue[],
): void {
  receivers.forEach(({ notifier }, index) => {
    const found = definitionOf(notifier).faults?.(notifier, context) ?? [];
    issues.push(...found.map((issue) => ({ ...issue, path: ["receivers", index, ...issue.path] })));
  });
}
