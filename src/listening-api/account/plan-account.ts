import { isDeepStrictEqual } from "node:util";
import type { Issue } from "../../lib/errors.ts";
import type { JsonValue } from "../../lib/json.ts";
import { counted } from "../../lib/numbers.ts";
import type { Thing } from "./account-file.ts";
import { type Fields, KINDS, type Kind, SECRETS } from "./account-schema.ts";
import type { StoredThing } from "./stored-account.ts";

interface FieldChange {
  readonly name: string;
  /** Undefined: a secret, or a field of a new thing. */
  readonly from?: JsonValue | undefined;
  readonly to?: JsonValue;
}

/** What an apply does with one thing. */
export interface Step {
  readonly action: "add" | "change" | "none" | "delete" | "keep";
  readonly kind: Kind;
  /** The new one. */
  readonly name: string;
  readonly stored?: StoredThing;
  /** All fields as they are to be; of a thing that stays as it is, or goes, the stored ones. */
  readonly fields: Fields;
  /** Those that the file names. */
  readonly stated: Fields;
  readonly changes: readonly FieldChange[];
  readonly parts: readonly Step[];
  /** Where it is in the file. */
  readonly path?: Issue["path"] | undefined;
}

/**
 * Compares an account file with what is stored. Things are matched by id where the file has one, else by name. What
 * the file does not name is kept, or with `prune` deleted. What does not fit is added to `issues`.
 */
export function planAccount(
  stored: StoredThing,
  thing: Thing,
  options: { readonly prune: boolean },
  issues: Issue[],
): Step {
  const changes = Object.entries(thing.fields).flatMap(([name, to]): FieldChange[] => {
    const isSecret = SECRETS.some((secret) => secret === name);
    if (isSecret) return [{ name }];
    const from = stored.fields[name];
    return isSame(name, from, to) ? [] : [{ name, to, from }];
  });
  const renamed = !isSameName(stored, thing) ? [{ name: "name", from: stored.name, to: thing.name }] : [];
  const all = [...renamed, ...changes];
  return {
    action: all.length > 0 ? "change" : "none",
    kind: stored.kind,
    name: renamed.length > 0 ? thing.name : stored.name,
    stored,
    fields: { ...stored.fields, ...thing.fields },
    stated: thing.fields,
    changes: all,
    parts: planParts(stored, thing, options, issues),
    path: thing.path,
  };
}

function planParts(
  stored: StoredThing,
  owner: Thing,
  options: { readonly prune: boolean },
  issues: Issue[],
): Step[] {
  return KINDS[owner.kind].parts.flatMap((kind) => {
    const given = owner.parts[kind];
    if (given === undefined) return [];
    const known = stored.parts[kind] ?? [];
    const byId = new Map(known.map((thing) => [thing.id, thing]));
    // Of two lists of one name the first one counts.
    const byName = new Map([...known].reverse().map((thing) => [nameKey(thing), thing]));
    const taken = new Set<StoredThing>();
    const report = (thing: Thing, field: string, message: string) =>
      issues.push({ path: [...(thing.path ?? []), field], message });
    const steps = given.map((thing) => {
      const match = thing.id === undefined ? byName.get(nameKey(thing)) : byId.get(thing.id);
      if (match === undefined && thing.id !== undefined)
        report(thing, "id", `there is no ${kind} with this id; leave it out to make a new one`);
      if (match === undefined) return planNew(thing);
      if (taken.has(match))
        report(thing, "name", `this ${kind} is in the file twice: by its id and by its name`);
      taken.add(match);
      return planAccount(match, thing, options, issues);
    });
    const others = known.filter((thing) => !taken.has(thing));
    return [...steps, ...others.map((thing) => planRest(thing, options.prune ? "delete" : "keep"))];
  });
}

function planNew({ kind, name, fields, parts, path }: Thing): Step {
  const changes = Object.entries(fields).map(([field, to]): FieldChange => {
    const isSecret = SECRETS.some((secret) => secret === field);
    return isSecret ? { name: field } : { name: field, to };
  });
  return {
    action: "add",
    kind,
    name,
    fields: { ...KINDS[kind].defaults, ...fields },
    stated: fields,
    changes: changes.filter(
      ({ name: field, to }) => to === undefined || !isSame(field, KINDS[kind].defaults[field], to),
    ),
    path,
    parts: KINDS[kind].parts.flatMap((part) => (parts[part] ?? []).map(planNew)),
  };
}

function planRest(stored: StoredThing, action: "delete" | "keep"): Step {
  const { kind, name, fields } = stored;
  return { action, kind, name, stored, fields, stated: {}, changes: [], parts: [] };
}

/** Logins are the same in capitals. */
function nameKey({ kind, name }: Thing): string {
  return kind === "user" ? name.toLowerCase() : name;
}

function isSameName(a: Thing, b: Thing): boolean {
  return a.kind === "account" || nameKey(a) === nameKey(b);
}

/** Names of other things have no order, and logins no capitals. */
function isSame(field: string, from: JsonValue | undefined, to: JsonValue): boolean {
  return isDeepStrictEqual(comparable(field, from), comparable(field, to));
}

function comparable(field: string, value: JsonValue | undefined): unknown {
  if (field === "owner" && typeof value === "string") return value.toLowerCase();
  const isSet = (field === "queries" || field === "projects") && Array.isArray(value);
  return isSet ? [...new Set(value)].sort() : value;
}

/** Those that are added, changed, or may contain something that is. */
export function partsOf(step: Step, kind: Kind): Step[] {
  return step.parts.filter((part) => part.kind === kind && !["delete", "keep"].includes(part.action));
}

/** Ids by name; a thing that gets another name is found by its old one, too, as stored fields name it. */
export function idsByName(
  things: readonly { readonly id: number; readonly name: string }[],
  steps: readonly Step[],
): Map<string, number> {
  const old = steps.flatMap(({ stored }): [string, number][] =>
    stored === undefined ? [] : [[stored.name, stored.id]],
  );
  return new Map([...old, ...things.map(({ id, name }): [string, number] => [name, id])]);
}

export function stepsOf(step: Step): readonly Step[] {
  return [step, ...step.parts.flatMap(stepsOf)];
}

/** Whether the plan does anything. */
export function isNothing(plan: Step): boolean {
  return stepsOf(plan).every(({ action }) => action === "none" || action === "keep");
}

/** A line for each thing that is added (+), changed (~), deleted (-) or kept though the file does not name it. */
export function planLines(plan: Step, mentionsIn: (step: Step) => number, depth = -1): string[] {
  const below = plan.parts.flatMap((part) => planLines(part, mentionsIn, depth + 1));
  if (plan.action === "none")
    return below.length === 0 || depth < 0 ? below : [line(plan, mentionsIn, depth), ...below];
  return [line(plan, mentionsIn, depth), ...below];
}

const SIGNS = { add: "+", change: "~", delete: "-", keep: " ", none: " " } as const;

function line(step: Step, mentionsIn: (step: Step) => number, depth: number): string {
  const { action, kind, stored } = step;
  const what = kind === "account" ? "all clients" : `${kind} ${JSON.stringify(stored?.name ?? step.name)}`;
  const mentions = action === "delete" ? mentionsIn(step) : 0;
  const more =
    action === "keep"
      ? ": not in the file, kept"
      : mentions > 0
        ? `, with ${counted(mentions, "mention")}`
        : step.changes.length > 0
          ? `: ${step.changes.map(describeChange).join(", ")}`
          : "";
  return `${SIGNS[action]} ${"  ".repeat(Math.max(0, depth))}${what}${more}`;
}

function describeChange({ name, from, to }: FieldChange): string {
  if (to === undefined) return `${name} (not shown)`;
  return from === undefined ? `${name} ${show(to)}` : `${name} ${show(from)} → ${show(to)}`;
}

const LONGEST = 80;

function show(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
