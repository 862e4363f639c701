import {
  chooseFeeds,
  isSlackToken,
  proposeFeeds,
  readContact,
  readLanguages,
  readSpellings,
  SETUP_QUESTIONS,
  type SecretFile,
  slackReceiver,
  slackSecret,
  type TypedSetup,
  webhookReceiver,
} from "#admin";
import { brandQuery } from "#feeds";
import { UserError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { parseUrl } from "../../lib/parse-url.ts";
import { listIn, type Questions, withQuestions } from "../common/ask-questions.ts";

/** Where messages go: the keys of the receiver, or null for the Inbox, and the secrets that it reads from files. */
export interface SetupReceiver {
  readonly keys: JsonObject | null;
  readonly secrets: readonly SecretFile[];
}

/** What flags have answered. An empty list is open. */
export type GivenAnswers = Omit<TypedSetup, "brand" | "contact" | "timezone" | "receiver"> & {
  readonly brand: string | undefined;
  readonly contact: string | undefined;
  readonly to: SetupReceiver | undefined;
};

type Field = keyof typeof SETUP_QUESTIONS;

/** Asks for what the flags leave open. Enter takes the answer in brackets. */
export function askForBrand(
  given: GivenAnswers,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<GivenAnswers> {
  return withQuestions(input, output, async (questions) => {
    const { ask, say } = questions;
    /** What `read` refuses is asked again. */
    const askList = async (
      field: Exclude<Field, "brand" | "about" | "contact">,
      read = (list: readonly string[]): unknown => list,
    ): Promise<readonly string[]> =>
      given[field].length > 0
        ? given[field]
        : askFor(questions, field, (text) => {
            const list = listIn(text) ?? [];
            read(list);
            return list;
          });
    const brand =
      given.brand ??
      (await ask(
        `${SETUP_QUESTIONS.brand.label}: `,
        (text) => text || undefined,
        "Type its name, such as acme.",
      ));
    const spellings = await askList("spellings", (list) => readSpellings(brand, list));
    const { warnings } = brandQuery([brand, ...spellings], given.not);
    for (const warning of warnings) say(`  ${warning}`);
    const not = warnings.length === 0 ? given.not : await askList("not");
    const rivals = await askList("rivals");
    const languages = await askList("languages", readLanguages);
    const about = { queries: [brand, ...rivals], spellings: [brand, ...spellings], languages };
    const feeds = given.feeds.length > 0 ? given.feeds : await askForFeeds(questions, about);
    const contact = given.contact ?? (await askFor(questions, "contact", (text) => readContact(text) ?? ""));
    const to = given.to ?? (await askForReceiver(questions));
    return { brand, spellings, not, about: given.about, rivals, languages, feeds, contact, to };
  });
}

/** Asks until `read` throws no UserError, whose message is the help. */
function askFor<Answer>(
  { ask, say }: Questions,
  field: Field,
  read: (text: string) => Answer,
): Promise<Answer> {
  const { label, example, hint } = SETUP_QUESTIONS[field];
  return ask(
    `${label} (${example}; ${hint}) [none]: `,
    (text) => {
      try {
        return read(text);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        say(`  ${error.message}`);
        return undefined;
      }
    },
    "Type another answer, or nothing.",
  );
}

/** Whether to keep what is in the way as `.old`, and go on. */
export function askToReplace(
  found: readonly string[],
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  if (found.length === 0) return Promise.resolve(false);
  return withQuestions(input, output, ({ ask }) =>
    ask(
      `${found.join(" and ")} ${found.length === 1 ? "exists" : "exist"}. Keep as .old and write new? yes or no [no]: `,
      (text) => (/^(?:y|yes)$/i.test(text) ? true : /^(?:n|no)?$/i.test(text) ? false : undefined),
      "Type yes or no.",
    ),
  );
}

async function askForFeeds(
  { ask, say }: Questions,
  about: Parameters<typeof proposeFeeds>[0],
): Promise<readonly string[]> {
  const proposed = proposeFeeds(about);
  say("Where does Earshot listen? These need no account:");
  proposed.forEach(({ kind, about: what }, at) => {
    say(`  ${at + 1}  ${kind.padEnd(16)} ${what}`);
  });
  const named = (text: string) =>
    (listIn(text) ?? proposed.map(({ kind }) => kind)).map(
      (one) => (/^\d+$/.test(one) ? proposed[Number(one) - 1]?.kind : one) ?? one,
    );
  return ask(
    "Numbers, and addresses of feeds of news sites, blogs or forums, with commas between them [all]: ",
    (text) =>
      works(() => chooseFeeds(named(text), about, { refusePrivate: false })) ? named(text) : undefined,
    `Type numbers from 1 to ${proposed.length}, and addresses such as https://blog.example/feed.`,
  );
}

const PLACES = ["the Inbox of the console, on this machine", "Slack", "a webhook", "mail"] as const;

async function askForReceiver({ ask, say }: Questions): Promise<SetupReceiver> {
  say("Where do messages go?");
  PLACES.forEach((place, at) => {
    say(`  ${at + 1}  ${place}`);
  });
  const place = await ask(
    "Number [1]: ",
    (text) => PLACES[Number(text || 1) - 1],
    `Type a number from 1 to ${PLACES.length}.`,
  );
  const needed = (question: string, pattern: RegExp, help: string) =>
    ask(question, (text) => (pattern.test(text) ? text : undefined), help);
  switch (place) {
    case "Slack": {
      const channel = await ask("Channel [#brand-alerts]: ", (text) => text || "#brand-alerts", "");
      const token = await ask(
        "Bot token (xoxb-…; docs/slack.md makes one): ",
        (text) => (isSlackToken(text) ? text : undefined),
        "It begins with xoxb-.",
      );
      return { keys: slackReceiver({ channel, token }), secrets: [slackSecret(token)] };
    }
    case "a webhook": {
      const url = await ask(
        "Address: ",
        (text) => (/^https?:\/\//i.test(text) && parseUrl(text) !== null ? text : undefined),
        "It begins with https://.",
      );
      return {
        keys: webhookReceiver(url, { url_file: WEBHOOK_URL }),
        secrets: [{ path: WEBHOOK_URL, text: `${url}\n` }],
      };
    }
    case "mail": {
      const to = await needed("Mail address: ", /^\S+@\S+$/, "Such as press@brand.example.");
      const host = await needed("Mail server: ", /^[\w.-]+$/, "Such as mail.brand.example.");
      return { keys: { kind: "email", to, from: to, smtp: { host } }, secrets: [] };
    }
    default:
      return { keys: null, secrets: [] };
  }
}

/** Beside earshot.yaml, in the folder of data, which is in no repository. */
const WEBHOOK_URL = ".earshot/webhook-url";

function works(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
