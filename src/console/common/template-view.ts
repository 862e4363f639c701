import type { Actor, RuleEdit, TriedTemplate } from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import type { SavedFile } from "./rule-view.ts";

/** A template of messages: `slack/alert-about.mrkdwn`. */
export interface ListedTemplate {
  readonly name: string;
  /** Whether a file of this installation stands in for the shipped one. */
  readonly isOwn: boolean;
}

export interface ShownTemplate extends ListedTemplate {
  readonly text: string;
  /** Null if it is the shipped one. */
  readonly version: string | null;
  /** Null if none is shipped under this name. */
  readonly shipped: string | null;
  /** Changes that were made on the console, the newest first. */
  readonly edits: readonly RuleEdit[];
}

export type TemplateTry = TriedTemplate | "Busy";

/** The templates of the monitor, their files, and what they would make of samples. */
export interface TemplateView {
  list(): Promise<readonly ListedTemplate[]>;
  /** Null if there is no such template. */
  find(name: string): Promise<ShownTemplate | null>;
  /** The whole message of a sample with this text; the usual sample where it is null. */
  attempt(template: {
    readonly name: string;
    readonly text: string;
    readonly sample: string | null;
  }): Promise<TemplateTry>;
  /** Checks and writes a template into the folder; null takes it away. The caller checks that the visitor may. */
  save(
    template: {
      readonly name: string;
      readonly text: string | null;
      /** The version that was opened; null if it was the shipped one. */
      readonly opened: string | null;
      readonly actor: Actor;
    },
    now: Instant,
  ): Promise<SavedFile>;
  /** Why nobody can save one; null if the folder is one of this installation. */
  readonly readOnly: string | null;
}
