import { existsSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { SetupForm, SetupSlack, SetupView } from "#console";
import { describeActor, type Stores } from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { atMost } from "../../lib/concurrency.ts";
import { BusyError, describeError, UserError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { planSetupChange, writeSetupChange } from "./change-setup.ts";
import { proposeFeeds } from "./choose-feeds.ts";
import { leaveOut, sensesIn, whyNoSenses } from "./choose-senses.ts";
import { rulesFolderOf, type SetupAnswers, type SetupDraft } from "./draft-setup.ts";
import { readAnswers, SETUP_QUESTIONS } from "./read-answers.ts";
import { slackReceiver, slackSecret } from "./setup-receivers.ts";
import { floodingQueries, listenOf, tryFeeds } from "./try-feeds.ts";
import { draftChecked, type SetupSchema, schemaLinesFor, writeSetup } from "./write-setup.ts";

interface SetupParts {
  /** The earshot.yaml that it writes. */
  readonly file: string;
  /** Of a monitor that runs from this file: what set-up changes then. Null in a demo, which has no file yet. */
  readonly configured: { readonly env: NodeJS.ProcessEnv; readonly stores: Stores } | null;
  readonly timezone: string;
  readonly schemas: readonly SetupSchema[];
  readonly clock: Clock;
  readonly log: Logger;
  /** What people read after the files were written. */
  readonly next: string;
  /** Called then. */
  readonly onWritten?: () => void;
  /** Strangers must not make this machine call addresses of its own network. Only tests say true. */
  readonly allowPrivateAddress?: boolean;
}

const MOST_ADDRESSES = 20;

/** What `earshot listen` does, for the console. Messages go to the Inbox, or to a channel of Slack. */
export function openSetupView(parts: SetupParts): SetupView {
  const { file, configured, clock, log } = parts;
  const turns = atMost(1, 0);
  const draftOf = async (form: SetupForm, slack: SetupSlack | null = null) => {
    const answers = { ...answersIn(form, parts), receiver: slack === null ? null : slackReceiver(slack) };
    const draft = await draftChecked(answers, schemaLinesFor(file, rulesFolderOf(answers.brand)));
    return { answers, draft };
  };
  const changeOf = async (draft: SetupDraft) => {
    if (configured === null) return null;
    const { opened, diff, rules } = await planSetupChange(file, draft, configured.env);
    const shown = rules.map(({ path, text }) => ({ path: relative(dirname(file), path), text }));
    return { opened, diff, rules: shown };
  };
  return {
    isOpen: configured === null,
    questions: SETUP_QUESTIONS,
    kinds: proposeFeeds({ queries: ["brand"], spellings: ["brand"], languages: [] }).map(
      ({ kind, about }) => ({ kind, about }),
    ),
    draft: async (form, { tries, mayWrite, signal }) => {
      try {
        const { answers, draft } = await draftOf(form);
        const { files, warnings } = draft;
        const change = mayWrite ? await changeOf(draft) : null;
        if (!tries) return { outcome: "Drafted", files, change, warnings, tried: null, senses: [] };
        const tried = await turns(() => tryFeeds(listenOf(answers, draft.queries), { clock, signal }));
        const floods = floodingQueries(
          tried,
          draft.queries.map(({ name }) => name),
        ).map(
          (name) =>
            `${name} matches a large part of everything. Leave out words of texts that mean something else.`,
        );
        const senses = sensesIn(tried, answers);
        const noSenses = whyNoSenses(senses, answers.brand) ?? [];
        return {
          ...{ outcome: "Drafted", files, change, tried },
          warnings: [...warnings, ...floods, noSenses].flat(),
          senses: senses.outcome === "Several" ? senses.senses : [],
        };
      } catch (error) {
        if (error instanceof BusyError) return { outcome: "Busy" };
        if (error instanceof UserError) return { outcome: "Faulty", faults: faultsIn(error) };
        throw error;
      }
    },
    leaveOut: (form, senses, meant) => {
      const { not, about } = leaveOut(form.brand, senses, meant);
      const all = [...new Set([...listIn(form.not), ...not])];
      return { ...form, not: all.join(", "), about: about ?? form.about };
    },
    write: async (form, { opened, actor, slack }) => {
      try {
        // A configuration that is there has its receivers: only `listen` of it is changed.
        const first = configured === null ? slack : null;
        const { draft } = await draftOf(form, first);
        const secrets = first === null ? [] : [slackSecret(first.token)];
        const files =
          configured === null
            ? (await writeSetup(file, draft, { replace: false, schemas: parts.schemas, secrets })).written
            : await writeSetupChange({ file, ...configured }, draft, { opened, actor, now: clock.now() });
        log.info({ files, by: describeActor(actor) }, "a configuration was written on the console");
        parts.onWritten?.();
        return { outcome: "Written", files, next: parts.next };
      } catch (error) {
        if (!(error instanceof UserError))
          log.error({ error: describeError(error) }, "a configuration could not be written");
        const because =
          configured === null && existsSync(file)
            ? "there is an earshot.yaml already"
            : "nothing was written";
        return { outcome: "Refused", because, details: error instanceof UserError ? faultsIn(error) : [] };
      }
    },
  };
}

function faultsIn(error: UserError): readonly string[] {
  return error.details.length > 0 ? error.details : [error.message];
}

function answersIn(form: SetupForm, { timezone, allowPrivateAddress = false }: SetupParts): SetupAnswers {
  const addresses = form.addresses.split(/[\s,]+/).filter((line) => line !== "");
  if (addresses.length > MOST_ADDRESSES)
    throw new UserError(`${MOST_ADDRESSES} addresses at most; earshot.yaml takes more`);
  const typed = {
    brand: form.brand,
    spellings: listIn(form.spellings),
    not: listIn(form.not),
    about: form.about,
    rivals: listIn(form.rivals),
    languages: listIn(form.languages),
    feeds: [...form.kinds, ...addresses],
    contact: form.contact,
    timezone,
    receiver: null,
  };
  const answers = readAnswers(typed, { refusePrivate: !allowPrivateAddress });
  if (answers.feeds.length === 0) throw new UserError("choose at least one feed, or type the address of one");
  return answers;
}

function listIn(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
