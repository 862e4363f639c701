import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import type { Logger } from "../../lib/log.ts";
import { createChatEndpoint } from "./chat-endpoint.ts";
import type { ChatConfig } from "./enrich-config.ts";
import { summaryPrompt } from "./prompts.ts";

export type SummarizerParts = [parts: { readonly clock: Clock; readonly log: Logger }, closing: Closing];

/** Asks the chat API what texts are about. Null if it does not answer in time: nothing waits for a second try. */
export function createSummarizer(
  config: ChatConfig,
  ...[{ clock, log }, closing]: SummarizerParts
): (texts: readonly string[]) => Promise<string | null> {
  const endpoint = createChatEndpoint(config, clock);
  const aborter = new AbortController();
  closing.add(async () => {
    aborter.abort();
    await endpoint.close();
  });
  return async (texts) => {
    const marked = texts.map((text) => ({ mark: randomBytes(5).toString("hex"), text }));
    const outcome = await endpoint.ask(summaryPrompt(marked), aborter.signal);
    if (outcome.kind === "answered") return outcome.content;
    log.warn({ reason: outcome.reason }, "the chat API did not say what an incident is about");
    return null;
  };
}
