import { isRecord } from "../../lib/json.ts";
import { labelStored, listRuledLabels } from "../assign/label-rules.ts";
import { type BodyReader, quote } from "../parameters/body-reader.ts";
import type { StoredCategory } from "../records/labels.ts";
import { deleteCategory } from "../store/delete-things.ts";
import { type CategorySettings, listCategories, saveCategory } from "../store/labels.ts";
import { renameCategoryInRecords } from "../store/rename-in-records.ts";
import { forgetReferences } from "./forget-references.ts";
import { readLabelRules } from "./read-label-rules.ts";
import { defineResource, type Resource, type ResourceScope } from "./resource.ts";

const MAX_CHILDREN = 1_000;
const MAX_NAME = 255;

/** Parent categories with their subcategories, under two paths as tags are. */
export const categories: readonly Resource[] = [
  categoryResource("categories", ({ children, ...category }) => ({
    ...category,
    children: children.map(({ rules, ...child }) => child),
  })),
  categoryResource("rulecategories", (category) => ({ ...category })),
];

function categoryResource(path: string, record: (category: StoredCategory) => object): Resource {
  return defineResource<StoredCategory, CategorySettings>({
    noun: "category",
    path,
    isCounted: false,
    isUniqueByName: true,
    createdStatus: 201,
    list: ({ db, project }) => listCategories(db, project.id),
    record,
    async read(body, scope, current) {
      const name = body.name(current?.name);
      const children = (await readChildren(body, scope, current)) ?? current?.children;
      if (children === undefined && !body.has("children"))
        body.fault('children: required, an array such as [{"name": "Price"}].');
      body.accept("id");
      return { name, multiple: body.flag("multiple") ?? current?.multiple ?? true, children: children ?? [] };
    },
    settingsOf: ({ name, multiple, children }) => ({ name, multiple, children }),
    async create(scope, settings) {
      const id = await saveCategory(scope.db, scope.project.id, settings);
      await labelAll(scope, id);
      return id;
    },
    async update(scope, current, settings) {
      const { db, project } = scope;
      await saveCategory(db, project.id, settings, current);
      const saved = (await listCategories(db, project.id)).find(({ id }) => id === current.id);
      const kept = new Set(saved?.children.map(({ id }) => id));
      const gone = current.children.map(({ id }) => id).filter((id) => !kept.has(id));
      if (gone.length > 0) await forgetReferences(scope, { categoryIds: gone });
      if (saved !== undefined && isRenamed(current, saved))
        await renameCategoryInRecords(db, project.id, saved);
      await labelAll(scope, current.id);
    },
    async remove(scope, { id, children }) {
      await forgetReferences(scope, { categoryIds: [id, ...children.map((child) => child.id)] });
      await deleteCategory(scope.db, id);
    },
  });
}

function isRenamed(before: StoredCategory, { name, children }: StoredCategory): boolean {
  const names = new Map(before.children.map((child) => [child.id, child.name]));
  return name !== before.name || children.some((child) => names.get(child.id) !== child.name);
}

/** What is stored gets the subcategories whose rules it meets. */
async function labelAll({ db, project, at }: ResourceScope, parentId: number): Promise<void> {
  for (const label of await listRuledLabels(db, project.id))
    if (label.kind === "category" && label.detail.parentId === String(parentId))
      await labelStored(db, project, label, at);
}

/** Objects with a name and, for those that are there, the id; or names. */
async function readChildren(
  body: BodyReader,
  scope: ResourceScope,
  current: StoredCategory | undefined,
): Promise<CategorySettings["children"] | undefined> {
  const given = body.list("children", MAX_CHILDREN);
  if (given === undefined) return undefined;
  const seen = new Set<string>();
  const children: CategorySettings["children"][number][] = [];
  for (const [index, entry] of given.entries()) {
    const child = isRecord(entry) ? entry : { name: entry };
    const { name } = child;
    // The operator's own example makes one with an empty id.
    const id = child["id"] === "" ? undefined : child["id"];
    const where = `children[${index}]`;
    if (typeof name !== "string" || name.trim() === "" || name.length > MAX_NAME || name.includes("\0")) {
      body.fault(`${where}.name: expected text of 1 to ${MAX_NAME} characters, got ${quote(name)}.`);
      continue;
    }
    if (seen.has(name)) body.fault(`${where}.name: ${quote(name)} is there twice.`);
    seen.add(name);
    const rules = await readLabelRules(child["rules"], `${where}.rules`, body.fault, scope);
    const known = current?.children.some((one) => one.id === id) === true;
    if (id !== undefined && id !== null && !known)
      body.fault(`${where}.id: ${quote(id)} is no subcategory of this category.`);
    if (known && children.some((one) => one.id === id))
      body.fault(`${where}.id: ${quote(id)} is there twice.`);
    children.push({ name, ...(known ? { id: Number(id) } : {}), rules });
  }
  return children;
}
