import { z } from "zod";
import { durationBetween } from "../../lib/duration.ts";
import { HttpAddress } from "../../lib/http-address.ts";
import { DAY, MINUTE } from "../../lib/instant.ts";

/** A server that answers as OpenAI's chat completions do: Ollama, vLLM, llama.cpp, a vendor. */
export const EndpointConfig = z
  .strictObject({
    endpoint: HttpAddress.describe(
      "Address of the chat API, up to and without /chat/completions. Example: http://127.0.0.1:11434/v1",
    ),
    model: z.string().min(1).describe("Name of the model at that server. Example: llama3.2"),
    apiKey: z
      .string()
      .min(1)
      .exactOptional()
      .meta({ description: "Key that is sent as a bearer token, if the server wants one.", writeOnly: true }),
    batch: z
      .int()
      .min(1)
      .max(50)
      .default(10)
      .describe("Texts in one call, 1 to 50. With 1, no text can influence the answer to another one."),
    callsPerDay: z
      .int()
      .min(0)
      .default(2_000)
      .describe(
        "Calls a day (UTC) at most, of all processes together. After that the model of this machine answers.",
      ),
    timeout: durationBetween(100, 10 * MINUTE)
      .prefault("60s")
      .describe("How long one call may take."),
    attempts: z
      .int()
      .min(1)
      .max(20)
      .default(4)
      .describe("Tries for one mention before the model of this machine answers in place of the endpoint."),
    cacheFor: durationBetween(0, 365 * DAY)
      .prefault("30d")
      .describe("How long an answer is used again for the same text. Whole days."),
  })
  .describe("A chat API that judges texts.");
export type EndpointConfig = z.output<typeof EndpointConfig>;

const SentimentEndpointConfig = EndpointConfig.extend({
  ask: z
    .enum(["all", "unsure"])
    .default("all")
    .describe(
      "Which texts it is asked about: all, or those whose sentiment the model of this machine is not sure of (unsure). That one judges the others.",
    ),
});

/** The same kind of server, for one sentence about an incident. */
export const ChatConfig = EndpointConfig.pick({ endpoint: true, model: true, apiKey: true })
  .extend({
    timeout: durationBetween(100, MINUTE)
      .prefault("10s")
      .describe("How long a message waits for the sentence before it is sent without."),
  })
  .describe(
    "A chat API that says in one sentence what an incident is about, marked in messages as a model's words. It reads a few of its mentions.",
  );
export type ChatConfig = z.output<typeof ChatConfig>;

/** How mentions of feeds get their language, sentiment and relevance. */
export const EnrichConfig = z
  .strictObject({
    language: z
      .boolean()
      .default(true)
      .describe(
        "Detect the language of mentions. In a long text it overrules what the feed declares; short ones keep that.",
      ),
    sentiment: z
      .union([z.enum(["local", "lexicon", "learned", "off"]), SentimentEndpointConfig])
      .default("local")
      .describe(
        "Who judges the sentiment: local (a small model on this machine; lexicon is its old name), learned (the same, and what people correct teaches it, by query), off, or a chat API.",
      ),
    relevance: z
      .union([z.literal("learned"), EndpointConfig])
      .exactOptional()
      .describe(
        "Who judges whether a mention is about what its query means: learned (from the alerts that people called not relevant, and those that they acknowledged or resolved), or a chat API that reads `about`. Without it there is no relevance.",
      ),
    categories: z
      .literal("learned")
      .exactOptional()
      .describe(
        "Learn categories from what people correct, by query and category, beside the rules of `listen.categories`. Without it only rules give them.",
      ),
    chat: ChatConfig.exactOptional(),
  })
  .describe(
    "Language, sentiment and relevance of mentions that feeds bring, and what incidents of any source are about.",
  );
export type EnrichConfig = z.output<typeof EnrichConfig>;
