import { isDeepStrictEqual } from "node:util";
import { closestWord } from "../../lib/closest-word.ts";
import { codeOf, type Issue, UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { readLabelRules } from "../resources/read-label-rules.ts";
import { accountLock, findUser } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { listMentionMonthsBefore } from "../store/mention-months.ts";
import { verifyPassword } from "../store/password.ts";
import { readQueryVolumes } from "../store/queries.ts";
import { LIST_KINDS } from "../store/saved-lists.ts";
import type { AccountFile, Thing } from "./account-file.ts";
import type { Kind } from "./account-schema.ts";
import { applyPlan } from "./apply-plan.ts";
import { withLocalDays } from "./local-days.ts";
import { isNothing, planAccount, planLines, type Step, stepsOf } from "./plan-account.ts";
import { findUnknownNames } from "./rule-fields.ts";
import { readStoredAccount, type StoredThing } from "./stored-account.ts";

/** What an apply would do. */
export interface AccountPlan {
  readonly step: Step;
  /** As people read it, one thing a line. */
  readonly lines: readonly string[];
  /** The same without the numbers of mentions, which a stream changes all the time. */
  readonly uncounted: readonly string[];
  /** Months of mentions that go, such as `2026-01`. */
  readonly months: readonly string[];
  readonly isNothing: boolean;
  readonly deletesSomething: boolean;
}

/** Compares the file with the tables. Throws a `UserError` with file and line for what does not fit to them. */
export async function planApply(
  db: Database,
  file: AccountFile,
  { prune }: { prune: boolean },
): Promise<AccountPlan> {
  const stored = await readStoredAccount(db);
  const issues: Issue[] = [];
  const account = withLocalDays(await withoutKnownPasswords(db, file.account), stored, issues);
  const step = planAccount(stored, account, { prune }, issues);
  checkNames(step, issues);
  checkOwners(step, issues);
  await checkRules(db, step, issues);
  file.refuse(issues);
  const keepFrom = step.fields["keepMentionsFrom"];
  const tables = typeof keepFrom === "string" ? await listMentionMonthsBefore(db, Date.parse(keepFrom)) : [];
  const months = tables.map((table) => table.replace("mention_", "").replace("_", "-"));
  const mentions = await mentionsOfDeleted(db, step);
  const dropped = months.map((month) => `- mentions of ${month}, of all clients`);
  return {
    step,
    lines: [...planLines(step, (one) => mentions.get(one) ?? 0), ...dropped],
    uncounted: [...planLines(step, () => 0), ...dropped],
    months,
    isNothing: isNothing(step) && months.length === 0,
    deletesSomething: months.length > 0 || stepsOf(step).some(({ action }) => action === "delete"),
  };
}

/**
 * Does what was shown, in one transaction. Gives the passwords that were invented, by login. Throws a `UserError` and
 * changes nothing if the tables have changed since.
 */
export function applyAccount(
  db: Database,
  file: AccountFile,
  options: { readonly prune: boolean; readonly shown: AccountPlan; readonly at: Instant },
): Promise<ReadonlyMap<string, string>> {
  return db.transaction().execute(async (transaction) => {
    await accountLock(transaction);
    const plan = await planApply(transaction, file, options);
    if (!isDeepStrictEqual(plan.uncounted, options.shown.uncounted))
      throw new UserError("The account was changed meanwhile.", [
        "apply again, and look at the difference once more",
      ]);
    return applyPlan(transaction, plan.step, options.at).catch(explain);
  });
}

/** A password that the login has already is no change. */
async function withoutKnownPasswords(db: Database, account: Thing): Promise<Thing> {
  const users: Thing[] = [];
  for (const user of account.parts.user ?? []) {
    const { password, ...fields } = user.fields;
    const stored = typeof password === "string" ? await findUser(db, user.name) : undefined;
    const isKnown = stored !== undefined && (await verifyPassword(String(password), stored.passwordHash));
    users.push(isKnown ? { ...user, fields } : user);
  }
  return account.parts.user === undefined
    ? account
    : { ...account, parts: { ...account.parts, user: users } };
}

/** Each is compared with all known names, and a person reads the first faults. */
const MOST_SUGGESTED = 100;

/** Names that stand for other things have to be there, or in the file. */
function checkNames(account: Step, issues: Issue[]): void {
  const users = namesAfter(account, "user");
  const clients = namesAfter(account, "client");
  const check = (
    step: Step,
    field: string,
    what: string,
    known: readonly string[],
    foldCase = false,
  ): void => {
    const value = step.stated[field];
    if (value === null || value === undefined) return;
    const given =
      typeof value === "string" ? [value] : Array.isArray(value) ? value.map(String) : Object.keys(value);
    const fold = (name: string) => (foldCase ? name.toLowerCase() : name);
    const isKnown = new Set(known.map(fold));
    for (const [index, name] of given.entries()) {
      if (isKnown.has(fold(name))) continue;
      const suggestion = issues.length < MOST_SUGGESTED ? closestWord(name, known) : undefined;
      issues.push({
        path: [
          ...(step.path ?? []),
          field,
          ...(Array.isArray(value) ? [index] : typeof value === "string" ? [] : [name]),
        ],
        message: `there is no ${what} ${JSON.stringify(name)}`,
        suggestion,
      });
    }
  };
  for (const step of account.parts) {
    if (step.kind === "user") check(step, "clients", "client", clients);
    const projects = namesAfter(step, "project");
    for (const part of step.parts) {
      check(part, "projects", "project", projects);
      check(part, "owner", "login", users, true);
      for (const group of part.parts.filter(({ kind }) => kind === "query group")) {
        check(group, "queries", "query", namesAfter(part, "query"));
        check(group, "projects", "project", projects);
        check(group, "owner", "login", users, true);
      }
      if (part.kind === "project") checkRuleNames(part, users, issues);
    }
  }
}

/** Also of rules that the file does not change: what they name may go. */
function checkRuleNames(project: Step, logins: readonly string[], issues: Issue[]): void {
  const steps = project.parts.filter(
    ({ kind, action }) =>
      (kind === "rule" || kind === "signal group") && ["add", "change", "none"].includes(action),
  );
  if (steps.length === 0) return;
  const known = {
    queries: namesAfter(project, "query"),
    tags: namesAfter(project, "tag"),
    categories: subcategoriesAfter(project),
    logins,
  };
  for (const { stated, path } of steps) issues.push(...findUnknownNames(stated, path ?? [], known));
}

function subcategoriesAfter(project: Step): ReadonlyMap<string, readonly string[]> {
  const steps = project.parts.filter(({ kind, action }) => kind === "category" && action !== "delete");
  const stored = project.stored?.parts.category ?? [];
  const covered = new Set(project.parts.map((step) => step.stored));
  return new Map([
    ...stored
      .filter((category) => !covered.has(category))
      .map(({ name, parts }) => [name, (parts.subcategory ?? []).map((child) => child.name)] as const),
    ...steps.map((step) => {
      const isKept = step.action === "keep" || step.parts.length === 0;
      const children = isKept ? (step.stored?.parts.subcategory ?? []).map(({ name }) => name) : [];
      return [step.name, [...children, ...namesAfter(step, "subcategory")]] as const;
    }),
  ]);
}

/** A login that is deleted takes its lists with it. */
function checkOwners(account: Step, issues: Issue[]): void {
  const gone = new Set(
    account.parts.flatMap(({ kind, action, name }) =>
      kind === "user" && action === "delete" ? [name.toLowerCase()] : [],
    ),
  );
  if (gone.size === 0) return;
  const clients = account.parts.filter(({ kind, action }) => kind === "client" && action !== "delete");
  const covered = new Set(account.parts.map(({ stored }) => stored));
  const others = (account.stored?.parts.client ?? []).filter((stored) => !covered.has(stored));
  for (const client of [...clients, ...others]) {
    const steps = "action" in client ? client.parts : [];
    const stored = "action" in client ? client.stored : client;
    const known = new Set(steps.map((step) => step.stored));
    const lists = LIST_KINDS.flatMap((kind) => [
      ...steps.filter((step) => step.kind === `${kind} list` && step.action !== "delete"),
      ...(stored?.parts[`${kind} list`] ?? []).filter((list) => !known.has(list)),
    ]);
    for (const { kind, name, fields, path } of lists) {
      const owner = String(fields["owner"]).toLowerCase();
      if (gone.has(owner))
        issues.push({
          path: path ?? [],
          message: `the ${kind} ${JSON.stringify(name)} belongs to the login ${JSON.stringify(owner)}, which --prune would delete; give it another owner`,
        });
    }
  }
}

/** The things of a kind that are there afterwards. */
function namesAfter(parent: Step, kind: Kind): string[] {
  const steps = parent.parts.filter((step) => step.kind === kind);
  const covered = new Set(steps.map(({ stored }) => stored));
  const others = (parent.stored?.parts[kind] ?? []).filter((stored) => !covered.has(stored));
  return [...steps.filter(({ action }) => action !== "delete"), ...others].map(({ name }) => name);
}

async function checkRules(db: Database, account: Step, issues: Issue[]): Promise<void> {
  const projects = account.parts.flatMap(({ parts }) => parts.filter(({ kind }) => kind === "project"));
  for (const project of projects) {
    const { stored, fields: own } = project;
    const scope = { db, project: { id: stored?.id ?? 0, timezone: String(own["timezone"]) } };
    for (const { kind, action, changes, fields, path } of stepsOf(project)) {
      const report = (field: string) => (message: string) =>
        issues.push({ path: [...(path ?? []), field], message: message.replace(/^rule\[0\]\.filter\./, "") });
      if (changes.some(({ name }) => name === "rules"))
        await readLabelRules(fields["rules"], "rules", report("rules"), scope);
      if (kind === "rule" && (action === "add" || changes.some(({ name }) => name === "filter")))
        await readLabelRules([{ filter: fields["filter"] }], "rule", report("filter"), scope);
    }
  }
}

/** How many mentions go with each thing that is deleted. */
async function mentionsOfDeleted(db: Database, account: Step): Promise<Map<Step, number>> {
  const deleted = stepsOf(account).filter(({ action }) => action === "delete");
  const queries = new Map<Step, number[]>();
  for (const step of deleted) if (step.stored !== undefined) queries.set(step, queryIdsIn(step.stored));
  const volumes = await readQueryVolumes(db, [...queries.values()].flat());
  return new Map(
    [...queries].map(([step, ids]) => [step, ids.reduce((sum, id) => sum + (volumes.get(id) ?? 0), 0)]),
  );
}

function queryIdsIn(thing: StoredThing): number[] {
  const parts = Object.values(thing.parts).flat();
  return [...(thing.kind === "query" ? [thing.id] : []), ...parts.flatMap(queryIdsIn)];
}

/** As two things that swap their names find. */
function explain(error: unknown): never {
  if (codeOf(error) !== "23505") throw error;
  throw new UserError("A new name is still taken by another thing of the same kind.", [
    "give one of the two another name first",
  ]);
}
