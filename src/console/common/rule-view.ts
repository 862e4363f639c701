import type { Actor, RuleDelay, RuleEdit, RuleForm, RuleTestRecord, RuleTryOutcome } from "#monitor";
import type { Fault } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";

/** A rule as it is in its file now. */
export interface ListedRule {
  readonly name: string;
  /** Null if the file has faults. */
  readonly title: string | null;
  readonly kind: string | null;
  readonly severities: readonly string[];
  readonly queries: readonly string[] | null;
  readonly faults: readonly Fault[];
  /** Whether the monitor runs this version of the file. */
  readonly isInUse: boolean;
  readonly version: string;
  readonly tests: readonly RuleTestRecord[];
}

export interface ShownRule extends ListedRule {
  readonly text: string;
  readonly description: string | null;
  /** In plain words; empty if the file has faults. */
  readonly inWords: readonly { readonly label: string; readonly text: string }[];
  /** The names of the rule tests beside it, whether they were run or not. */
  readonly testFiles: readonly string[];
  readonly delay: (RuleDelay & { readonly inWords: string }) | null;
  /** Changes that were made on the console, the newest first. */
  readonly edits: readonly RuleEdit[];
}

/** A new rule as somebody begins to write it. */
export interface RuleDraft {
  readonly kind: string;
  readonly choice: string;
}

export interface RuleToSave {
  readonly name: string;
  readonly text: string;
  /** The version that was opened; null for a new rule. */
  readonly opened: string | null;
  readonly actor: Actor;
}

export type SavedFile =
  | { readonly outcome: "Saved"; readonly next: string }
  | { readonly outcome: "Refused"; readonly because: string; readonly details: readonly string[] };

/** The rules of the monitor, their files, and what they would do. */
export interface RuleView {
  list(): Promise<readonly ListedRule[]>;
  /** Null if there is no such rule. */
  find(name: string): Promise<ShownRule | null>;
  readonly drafts: readonly RuleDraft[];
  /** The text of a draft; of the first one if there is none of this kind. */
  draft(kind: string): string;
  /** The form of a draft or a file; null if the form cannot show all of it, or the text has faults. */
  formOf(text: string): RuleForm | null;
  /** The same of a text that somebody posted. */
  readForm(text: string): Promise<RuleForm | null>;
  /** The YAML of a form; `base` is the text that it changes. */
  writeForm(form: RuleForm, base: string | null): Promise<string>;
  /** What a rule would have done in the last days. `session` has one try at a time. */
  attempt(
    rule: { readonly session: string; readonly name: string; readonly text: string; readonly days: number },
    signal: AbortSignal,
  ): Promise<RuleTryOutcome>;
  /** Checks and writes a rule into the folder. The caller checks that the visitor may. */
  save(rule: RuleToSave, now: Instant): Promise<SavedFile>;
  /** A name of a file without its ending, for a rule that has this title. */
  nameOf(text: string): string | null;
  /** Keys and values that an editor may offer, as JSON. */
  readonly completions: unknown;
  /** Words of recent mentions, for the fields of the form. */
  words(): Promise<RuleWords>;
}

export interface RuleWords {
  readonly queries: readonly string[];
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly languages: readonly string[];
  readonly countries: readonly string[];
  readonly pageTypes: readonly string[];
}
