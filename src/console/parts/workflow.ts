import { z } from "zod";
import {
  describeActor,
  LONGEST_NOTE,
  LONGEST_TAG,
  type MentionKey,
  type ShownWorkflow,
  STATUS_WORDS,
  type WorkflowStep,
} from "#monitor";
import { groupBy } from "../../lib/group-by.ts";
import { readJson } from "../../lib/json.ts";
import { counted } from "../../lib/numbers.ts";
import { storableText } from "../../lib/text.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { foreign } from "./words.ts";

/** What a reader who may act needs for the forms of the workflow. */
export interface WorkForm {
  readonly token: string;
  readonly asksName: boolean;
  /** People to choose from; any other name may be typed. */
  readonly names: readonly string[];
  /** The page to come back to. */
  readonly back: string;
}

/** What people decided, for the foot of a mention: nothing where nobody did. */
export function workflowFacts(workflow: ShownWorkflow | null | undefined): readonly Html[] {
  if (workflow == null) return [];
  const { status, assignee, tags, notes } = workflow;
  return [
    ...(status === "open" ? [] : [html`<span class="work is-${status}">${STATUS_WORDS[status]}</span>`]),
    ...(assignee === null ? [] : [html`<span class="work">${foreign(assignee)} has it</span>`]),
    ...tags.map(
      (tag) => html`<span class="work is-tag"><span class="unseen">tagged </span>${foreign(tag)}</span>`,
    ),
    ...(notes === 0 ? [] : [html`<span class="work">${counted(notes, "note")}</span>`]),
  ];
}

/** What the last press did, with its undo. */
export interface PressNotice {
  readonly sentence: string;
  readonly fault: boolean;
  /** The press that can be undone; null: none. */
  readonly undo: string | null;
}

export function noticeLine(
  notice: PressNotice | null,
  { token, back }: Pick<WorkForm, "token" | "back">,
): Html {
  if (notice === null) return html``;
  const { sentence, fault, undo } = notice;
  return html`<form class="${fault ? "fault" : "notice"}" method="post" action="/mentions/undo" hx-post="/mentions/undo" hx-target="#work-notice">
<input type="hidden" name="token" value="${token}"><input type="hidden" name="back" value="${back}">
<p>${foreign(sentence)}${undo !== null && html` <button name="press" value="${undo}" id="undo">Undo</button>`}</p></form>`;
}

/**
 * The bar for chosen mentions. Their boxes belong to its form wherever they stand, so the list has no token and can be
 * shared and replaced. The first button is what Enter in a field presses.
 */
export function workBar(form: WorkForm): Html {
  return html`<form id="work" class="work-bar" method="post" action="/mentions/work" hx-post="/mentions/work" hx-target="#work-notice"
  aria-label="Chosen mentions" data-keys="e done a assign-me">
${hiddenFields(form)}<button name="do" value="typed" hidden>Do what was typed</button>
<p class="chosen" role="status"><span id="chosen">Choose mentions above.</span> <button type="button" id="choose-none" hidden>Choose none</button></p>
<div class="work-row">${pressButtons(form)}</div></form>
${namesList(form)}`;
}

export function hiddenFields({ token, back }: WorkForm): Html {
  return html`<input type="hidden" name="token" value="${token}"><input type="hidden" name="back" value="${back}">`;
}

function namesList({ names }: WorkForm): Html {
  return html`<datalist id="people">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`;
}

function pressButtons({ asksName }: WorkForm): Html {
  return html`${
    asksName &&
    html`<label>Your name <input name="by" maxlength="80" autocomplete="name" id="your-name"></label>`
  }<span class="group"><button name="do" value="assign-me">Assign to me</button>
<label><span class="unseen">Assign to</span><input name="to" list="people" maxlength="80" placeholder="somebody" autocomplete="off"></label>
<button name="do" value="assign">Assign</button>
<button name="do" value="unassign">Unassign</button></span>
<span class="group"><button name="do" value="in-progress">In progress</button>
<button name="do" value="done">Done</button>
<button name="do" value="not-relevant">Not relevant</button>
<button name="do" value="open">Open again</button></span>
<span class="group"><label><span class="unseen">Tags, with commas between them</span><input name="tag" maxlength="${LONGEST_TAG}"
  placeholder="tag" autocomplete="off" dir="auto"></label>
<button name="do" value="tag">Add tag</button>
<button name="do" value="untag">Remove tag</button></span>`;
}

/** The keys of a list, shown by `?`. */
export function keysHelp(keys: readonly KeyHelp[]): Html {
  return html`<dialog id="keys" aria-labelledby="h-keys"><h2 id="h-keys">Keys</h2>
<dl class="facts">${keys.map(([keys, what]) => html`<dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd>`)}</dl>
<label class="check"><input type="checkbox" id="keys-on" checked> Keys are on, except in a field</label>
<form method="dialog"><button>Close</button></form></dialog>`;
}

export type KeyHelp = readonly [keys: readonly string[], what: string];

export const MENTION_KEYS: readonly KeyHelp[] = [
  [["j", "k"], "next, previous mention"],
  [["Enter"], "open its page"],
  [["x"], "choose it; with Shift: all from the last chosen one"],
  [["e"], "done"],
  [["a"], "assign to me"],
  [["u"], "undo"],
  [["?"], "this list"],
];

/** On the page of a mention: what people decided, what they wrote, and how it came. */
export function workflowPanel(
  key: MentionKey,
  story: { readonly workflow: ShownWorkflow | null; readonly steps: readonly WorkflowStep[] },
  times: Times,
  form: WorkForm | null,
  /** Names the next note: a form that is sent twice writes once. */
  note: string,
): Html {
  const facts = workflowFacts(story.workflow);
  const value = writeKey(key);
  return html`<h3>What we do about it</h3>
${facts.length === 0 ? html`<p class="empty">Open, and nobody has it.</p>` : html`<p class="mention-foot">${facts}</p>`}${
  form !== null &&
  html`<form class="work-row" method="post" action="/mentions/work">${hiddenFields(form)}<input
  type="hidden" name="mention" value="${value}"><button name="do" value="typed" hidden>Do what was typed</button>
${pressButtons(form)}</form>${namesList(form)}
<form class="action-form note-form" method="post" action="/mentions/note">${hiddenFields(form)}<input
  type="hidden" name="mention" value="${value}"><input type="hidden" name="press" value="${note}">
${form.asksName && html`<label>Your name <input name="by" maxlength="80" autocomplete="name"></label>`}<label class="grows">Note, for colleagues
<textarea name="text" rows="2" maxlength="${LONGEST_NOTE}" required dir="auto"></textarea></label>
<button type="submit">Write it</button></form>`
}${
  story.steps.length > 0 &&
  html`<ol class="timeline">${story.steps.map(
    (step) =>
      html`<li><span class="when">${times.moment(step.at)}</span><div><bdi>${describeActor(step.actor)}</bdi>${stepWords(step)}</div></li>`,
  )}</ol>`
}`;
}

function stepWords(step: WorkflowStep): Html {
  if (step.kind === "note") return html`<p class="written" dir="auto">${step.text}</p>`;
  return html`${step.kind === "undo" && " undid it"}: ${foreign(describeChange(step))}`;
}

/** `assigned to ann, bob had it before; done; tagged vip`. */
function describeChange({ before, after }: Pick<WorkflowStep, "before" | "after">): string {
  if (before === null || after === null) return "";
  const added = after.tags.filter((tag) => !before.tags.includes(tag));
  const removed = before.tags.filter((tag) => !after.tags.includes(tag));
  return [
    ...(before.assignee === after.assignee
      ? []
      : [
          (after.assignee === null ? "nobody has it" : `assigned to ${after.assignee}`) +
            (before.assignee === null ? "" : `, ${before.assignee} had it before`),
        ]),
    ...(before.status === after.status ? [] : [STATUS_WORDS[after.status]]),
    ...(added.length === 0 ? [] : [`tagged ${added.join(", ")}`]),
    ...(removed.length === 0 ? [] : [`no longer tagged ${removed.join(", ")}`]),
  ].join("; ");
}

type PressedChange = Pick<WorkflowStep, "before" | "after" | "kind">;

/** Of one press, mentions that changed in different ways are named apart; with more ways only the first. */
const MOST_WAYS = 5;

/** What a press changed in all of its mentions, and who had them before. */
export function describePress(changes: readonly PressedChange[]): string {
  const [first] = changes;
  if (first?.before == null || first.after === null) return "Nothing is left of it.";
  const ways = [...groupBy(changes, describeWay)];
  const told = ways.slice(0, MOST_WAYS).map(([words, own]) => {
    const many = changes.length === 1 ? "The mention" : counted(own.length, "mention");
    return `${many}: ${words}${hadBefore(own)}`;
  });
  const rest = ways.slice(MOST_WAYS).flatMap(([, own]) => own).length;
  const more = rest === 0 ? "" : `; and ${counted(rest, "other mention")}`;
  return `${first.kind === "undo" ? "Undone. " : ""}${told.join("; ")}${more}.`;
}

function describeWay(change: PressedChange): string {
  const { before, after } = change;
  return describeChange(
    isGiven(change) && before !== null ? { before: { ...before, assignee: null }, after } : change,
  );
}

function isGiven({ before, after }: PressedChange): boolean {
  return after !== null && after.assignee !== null && after.assignee !== before?.assignee;
}

function hadBefore(changes: readonly PressedChange[]): string {
  const had = changes.flatMap((one) => (isGiven(one) && one.before?.assignee ? [one.before.assignee] : []));
  if (had.length === 0) return "";
  const what = changes.length === 1 ? "it" : counted(had.length, "of them", "of them");
  return `; before, ${[...new Set(had)].join(", ")} had ${what}`;
}

/** Names a mention in a form. */
export function writeKey({ projectId, queryId, resourceId }: MentionKey): string {
  return Buffer.from(JSON.stringify([projectId, queryId, resourceId])).toString("base64url");
}

/** Null: no such name was written. */
export function readKey(text: string): MentionKey | null {
  const read = Key.safeParse(readJson(Buffer.from(text, "base64url").toString("utf8")));
  if (!read.success) return null;
  const [projectId, queryId, resourceId] = read.data;
  return { projectId, queryId, resourceId };
}

const Id = z.string().max(2_000).transform(storableText);
const Key = z.tuple([Id, Id, Id]);
