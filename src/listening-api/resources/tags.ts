import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonValue } from "../../lib/json.ts";
import { labelScope, labelStored, readRule } from "../assign/label-rules.ts";
import { compile } from "../query-language/compile.ts";
import { deleteTag } from "../store/delete-things.ts";
import { insertTag, type LabelRule, listTags, type StoredTag, updateTag } from "../store/labels.ts";
import { removeTagFromRecords, renameTagInRecords } from "../store/rename-in-records.ts";
import { isObject, quote } from "./body-reader.ts";
import { defineResource, type Resource, type ResourceScope } from "./resource.ts";

type TagSettings = Omit<StoredTag, "id">;

/** One kind of thing under two paths: today's programs work with `ruletags`, others list `tags`. */
export const tags: readonly Resource[] = [
  tagResource("tags", ({ id, name }) => ({ id, name })),
  tagResource("ruletags", ({ id, name, rules }) => ({
    id,
    name,
    displayName: null,
    queryIds: null,
    rules,
    matchingType: rules.length === 0 ? "manual" : "automatic",
  })),
];

function tagResource(path: string, record: (tag: StoredTag) => object): Resource {
  return defineResource<StoredTag, TagSettings>({
    noun: "tag",
    path,
    isCounted: false,
    isUniqueByName: true,
    createdStatus: 201,
    list: ({ db, project }) => listTags(db, project.id),
    record,
    async read(body, scope, current) {
      const name = body.name(current?.name);
      const rules =
        (await readLabelRules(body.body["rules"], "rules", body.fault, scope)) ?? current?.rules ?? [];
      body.accept("id", "rules", "displayName", "queryIds", "matchingType");
      return { name, rules };
    },
    settingsOf: ({ name, rules }) => ({ name, rules }),
    async create({ db, project, at }, settings) {
      const id = await insertTag(db, project.id, settings);
      await labelStored(db, project, { kind: "tag", id, ...settings }, at);
      return id;
    },
    async update({ db, project, at }, { id, name }, settings) {
      await updateTag(db, id, settings);
      if (settings.name !== name)
        await renameTagInRecords(db, project.id, { id, from: name, to: settings.name });
      await labelStored(db, project, { kind: "tag", id, ...settings }, at);
    },
    async remove({ db, project }, tag) {
      await removeTagFromRecords(db, project.id, tag);
      await deleteTag(db, tag.id);
    },
  });
}

const MAX_RULES = 100;

/**
 * `[{"filter": {"search": "…", "sentiment": ["positive"]}}]`. Faults are reported to `fault`; undefined if none were
 * sent.
 */
export async function readLabelRules(
  given: unknown,
  where: string,
  fault: (message: string) => void,
  scope: Pick<ResourceScope, "db"> & { readonly project: { readonly id: number; readonly timezone: string } },
): Promise<readonly LabelRule[] | undefined> {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given) || given.length > MAX_RULES) {
    fault(`${where}: expected an array of at most ${MAX_RULES} objects with a filter, got ${quote(given)}.`);
    return undefined;
  }
  const rules: LabelRule[] = [];
  for (const [index, rule] of given.entries()) {
    // Each may take as long as a whole query.
    if (index > 0) await nextTurn();
    const filter = isObject(rule) ? (rule["filter"] ?? {}) : undefined;
    if (!isObject(filter)) {
      fault(`${where}[${index}].filter: expected an object of filters, got ${quote(filter)}.`);
      continue;
    }
    const { search } = filter;
    if (search !== undefined && search !== null) {
      const compiled = typeof search === "string" ? compile(search) : undefined;
      if (compiled === undefined)
        fault(`${where}[${index}].filter.search: expected text, got ${quote(search)}.`);
      else if (!compiled.ok)
        for (const { severity, start, message } of compiled.problems)
          if (severity === "error")
            fault(`${where}[${index}].filter.search: at character ${start + 1}: ${message}`);
    }
    rules.push({ filter: filter as Readonly<Record<string, JsonValue>> });
  }
  for (const [index, rule] of rules.entries()) {
    await nextTurn();
    await readRule(rule, labelScope(scope.db, scope.project), (message) =>
      fault(`${where}[${index}].filter.${message}`),
    );
  }
  return rules;
}
