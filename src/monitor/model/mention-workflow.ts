import type { Instant } from "../../lib/instant.ts";
import { plainLine, storableText } from "../../lib/text.ts";
import type { Actor } from "./alert-action.ts";

/** How far the work on a mention is. Not relevant: nobody has to do anything, and it says so of its query, too. */
export const WORK_STATUSES = ["open", "in-progress", "done", "not-relevant"] as const;
export type WorkStatus = (typeof WORK_STATUSES)[number];

/** For pages and files. */
export const STATUS_WORDS: Readonly<Record<WorkStatus, string>> = {
  open: "open",
  "in-progress": "in progress",
  done: "done",
  "not-relevant": "not relevant",
};

/** What people decided about a mention. Nobody did anything: it is open, nobody's, and has no tags. */
export interface Workflow {
  readonly status: WorkStatus;
  /** A user of the console, or a name that somebody typed. */
  readonly assignee: string | null;
  /** Of this installation, beside those that the mention has at its source. */
  readonly tags: readonly string[];
}

export const NO_WORKFLOW: Workflow = { status: "open", assignee: null, tags: [] };

/** The same, as a list shows it. */
export interface ShownWorkflow extends Workflow {
  readonly notes: number;
}

/** A mention of a query. */
export interface MentionKey {
  readonly projectId: string;
  readonly queryId: string;
  readonly resourceId: string;
}

/** A line of the history of a mention: what a person changed, or wrote. Several mentions may share a press. */
export interface WorkflowStep {
  /** The press of a button that made it. */
  readonly press: string;
  readonly at: Instant;
  readonly kind: "change" | "undo" | "note";
  /** Null for a note. */
  readonly before: Workflow | null;
  readonly after: Workflow | null;
  /** Of a note. */
  readonly text: string | null;
  readonly actor: Actor;
}

export const LONGEST_NOTE = 4_000;
export const LONGEST_TAG = 40;
export const MOST_TAGS = 20;
/** What one press may change: the mentions of some pages. */
export const MOST_PRESSED = 500;

/** `vip, press office`: a comma separates tags. Letters that would hide or act in a line become blanks. */
export function readTags(typed: string): string[] {
  const tags = typed.split(",").map((one) => plainLine(storableText(one), LONGEST_TAG).trim());
  return tags.filter((tag) => tag !== "");
}
