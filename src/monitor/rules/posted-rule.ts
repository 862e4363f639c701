import type { RuleForm } from "../model/rule-form.ts";
import type { RuleFaults } from "../model/rule-try.ts";
import { parseRule, tooManyStates } from "./parse-rule.ts";
import { formOfText, yamlOfForm } from "./rule-form.ts";

/** Letters of a rule that is tried or saved on the console. */
export const LONGEST_POSTED = 20_000;
/** What a rule that somebody tries may cost for one mention; files may have more. */
const MOST_STATES = 500;
const MOST_FAULTS = 50;

export interface PostedText {
  /** Of its file, without the ending. */
  readonly name: string;
  readonly text: string;
}

/** `content`: valid, and compiled once already, so that compiling it again takes a short time. */
type PostedRule = { readonly content: unknown } | RuleFaults;

/** Checks a rule that was typed into the console. Call it in a thread: what people type may take a long time. */
export function readPostedRule({ name, text }: PostedText): PostedRule {
  const file = `${name}.yaml`;
  const tooLong = faultOfLength(file, text);
  if (tooLong !== null) return tooLong;
  const read = parseRule(name, file, text);
  if ("faults" in read)
    return { faults: read.faults.slice(0, MOST_FAULTS), more: Math.max(0, read.faults.length - MOST_FAULTS) };
  if (read.states <= MOST_STATES) return { content: read.content };
  const { message } = tooManyStates(read.states, MOST_STATES);
  return oneFault(file, `${message}, or write the file by hand`);
}

export function faultOfLength(file: string, text: string): RuleFaults | null {
  return text.length > LONGEST_POSTED ? oneFault(file, TOO_LONG) : null;
}

export const TOO_LONG = `a rule on the console has ${LONGEST_POSTED / 1_000} kB at most`;

/** A fault of the whole rule. */
export function oneFault(file: string, message: string): RuleFaults {
  return { faults: [{ file, line: 1, column: 1, message }], more: 0 };
}

/** As `formOfText`, of a text that was posted. */
export function readPostedForm(text: string): RuleForm | null {
  return text.length > LONGEST_POSTED ? null : formOfText(text);
}

/** The YAML of a form over the text that it was opened with. */
export function writePostedForm({
  form,
  base,
}: {
  readonly form: RuleForm;
  readonly base: string | null;
}): string {
  return yamlOfForm(form, base === null || base.length > LONGEST_POSTED ? null : base);
}
