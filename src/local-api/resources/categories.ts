import {
  type CategorySettings,
  listCategories,
  type StoredCategory,
  saveCategory,
} from "../store/categories.ts";
import { deleteCategory } from "../store/delete-things.ts";
import { type BodyReader, isObject, quote } from "./body-reader.ts";
import { readLabelRules } from "./label-rules.ts";
import { defineResource, type Resource } from "./resource.ts";

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
    read(body, _scope, current) {
      const name = body.name() ?? current?.name;
      if (name === undefined && !body.has("name")) body.fault("name: required, the name of the category.");
      const children = readChildren(body, current) ?? current?.children;
      if (children === undefined && !body.has("children"))
        body.fault('children: required, an array such as [{"name": "Price"}].');
      body.accept("id");
      return {
        name: name ?? "",
        multiple: body.flag("multiple") ?? current?.multiple ?? true,
        children: children ?? [],
      };
    },
    settingsOf: ({ name, multiple, children }) => ({ name, multiple, children }),
    create: ({ db, project }, settings) => saveCategory(db, project.id, settings),
    async update({ db, project }, current, settings) {
      await saveCategory(db, project.id, settings, current);
    },
    remove: ({ db }, { id }) => deleteCategory(db, id),
  });
}

/** Objects with a name and, for those that are there, the id; or names. */
function readChildren(
  body: BodyReader,
  current: StoredCategory | undefined,
): CategorySettings["children"] | undefined {
  const given = body.list("children", MAX_CHILDREN);
  const seen = new Set<string>();
  return given?.flatMap((entry, index) => {
    const child = isObject(entry) ? entry : { name: entry };
    const { name, id } = child;
    const where = `children[${index}]`;
    if (typeof name !== "string" || name.trim() === "" || name.length > MAX_NAME || name.includes("\0")) {
      body.fault(`${where}.name: expected text of 1 to ${MAX_NAME} characters, got ${quote(name)}.`);
      return [];
    }
    if (seen.has(name)) body.fault(`${where}.name: ${quote(name)} is there twice.`);
    seen.add(name);
    const rules = readLabelRules(child["rules"], `${where}.rules`, body.fault);
    const known = current?.children.some((one) => one.id === id) === true;
    if (id !== undefined && id !== null && !known)
      body.fault(`${where}.id: ${quote(id)} is no subcategory of this category.`);
    return [{ name, ...(known ? { id: Number(id) } : {}), ...(rules === undefined ? {} : { rules }) }];
  });
}
