import { Agent, request } from "undici";
import { z } from "zod";
import { readAtMost } from "../../lib/answer-body.ts";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { readRetryAfter } from "../../lib/retry.ts";
import type { ChatConfig } from "./enrich-config.ts";
import type { Prompt } from "./prompts.ts";

/** The result of a call. Never an exception: an endpoint that fails is nothing special. */
type ChatOutcome =
  | { readonly kind: "answered"; readonly content: string }
  /** It may work later. `retryAfterMs` if the server said when. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs?: number }
  /** It will not work until somebody changes the configuration: a wrong key, an unknown model. */
  | { readonly kind: "refused"; readonly reason: string };

export interface ChatEndpoint {
  ask(prompt: Prompt, signal: AbortSignal): Promise<ChatOutcome>;
  close(): Promise<void>;
}

/** Fifty lines of answers have some kilobytes. */
const LARGEST_ANSWER = 256 * 1024;

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});

/** Calls `POST {endpoint}/chat/completions`. The address comes from the configuration, and is mostly this machine. */
export function createChatEndpoint(config: ChatConfig, clock: Clock): ChatEndpoint {
  const agent = new Agent({ connect: { timeout: config.timeout } });
  const url = `${config.endpoint.replace(/\/$/, "")}/chat/completions`;
  return {
    async ask({ system, user }, signal) {
      try {
        const response = await request(url, {
          method: "POST",
          dispatcher: agent,
          signal: AbortSignal.any([signal, AbortSignal.timeout(config.timeout)]),
          headers: {
            "content-type": "application/json",
            ...(config.apiKey === undefined ? {} : { authorization: `Bearer ${config.apiKey}` }),
          },
          body: JSON.stringify({
            model: config.model,
            temperature: 0,
            stream: false,
            messages: [
              { role: "system", content: system },
              { role: "user", content: user },
            ],
          }),
        });
        return toOutcome(
          response.statusCode,
          response.headers,
          await readAtMost(response.body, LARGEST_ANSWER),
          clock,
        );
      } catch (error) {
        return { kind: "failed", reason: withoutKey(describeError(error), config) };
      }
    },
    close: () => agent.destroy(),
  };
}

function toOutcome(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer | null,
  clock: Clock,
): ChatOutcome {
  if (status === 429 || status >= 500 || status === 408) {
    const header = headers["retry-after"];
    const retryAfterMs = readRetryAfter(typeof header === "string" ? header : null, clock.now());
    return {
      kind: "failed",
      reason: `it answered ${status}`,
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  }
  // Its words are not repeated: a server may repeat the key, or a text.
  if (status >= 300) return { kind: "refused", reason: `it answered ${status}` };
  if (body === null) return { kind: "failed", reason: "its answer was too long" };
  const completion = Completion.safeParse(parsed(body.toString("utf8")));
  if (!completion.success) return { kind: "failed", reason: "its answer was no chat completion" };
  return { kind: "answered", content: completion.data.choices[0]?.message.content ?? "" };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function withoutKey(text: string, { apiKey }: Pick<ChatConfig, "apiKey">): string {
  return apiKey === undefined ? text : text.replaceAll(apiKey, "…");
}
