import type { Instant } from "../../lib/instant.ts";
import type { CategoryDetail } from "../records/mention-record.ts";
import type { Database } from "../store/database.ts";
import { putCategory, putTag } from "../store/labels.ts";
import { putQueries } from "../store/queries.ts";
import type { ImportLine } from "./import-line.ts";
import type { ImportedLabels } from "./imported-mention.ts";

/** Queries, categories and tags of the project, made when the file first names them. */
interface ImportTargets {
  queryOf(brand: string, at: Instant): Promise<{ id: number; name: string }>;
  labelsOf(line: Pick<ImportLine, "negativeReason" | "categoryDetails" | "tags">): Promise<ImportedLabels>;
}

const REASONS = "Negative reason";

export function createImportTargets(db: Database, projectId: number): ImportTargets {
  const queries = new Map<string, { id: number; name: string }>();
  /** By parent, then by name. */
  const categories = new Map<string, Map<string, CategoryDetail>>();
  const tags = new Map<string, { id: number; name: string }>();

  async function createQuery(name: string, at: Instant): Promise<{ id: number; name: string }> {
    const ids = await putQueries(db, projectId, [{ name, type: "search string" }], {
      username: "import",
      at,
    });
    const id = ids.get(name);
    if (id === undefined) throw new Error(`query ${JSON.stringify(name)} vanished while it was created`);
    return { id, name };
  }

  async function categoryOf(parentName: string, name: string): Promise<CategoryDetail> {
    const siblings = categories.get(parentName) ?? new Map<string, CategoryDetail>();
    categories.set(parentName, siblings);
    const category = siblings.get(name) ?? (await createCategory(parentName, name, [...siblings.keys()]));
    siblings.set(name, category);
    return category;
  }

  async function createCategory(
    parentName: string,
    name: string,
    siblings: readonly string[],
  ): Promise<CategoryDetail> {
    const parent = await putCategory(db, projectId, { name: parentName, children: [...siblings, name] });
    const child = parent.children.find((candidate) => candidate.name === name);
    if (child === undefined)
      throw new Error(`category ${JSON.stringify(name)} vanished while it was created`);
    return { id: String(child.id), name: child.name, parentId: String(parent.id), parentName: parent.name };
  }

  async function tagOf(name: string): Promise<{ id: number; name: string }> {
    const tag = tags.get(name) ?? { id: await putTag(db, projectId, name), name };
    tags.set(name, tag);
    return tag;
  }

  return {
    async queryOf(brand, at) {
      const query = queries.get(brand) ?? (await createQuery(brand, at));
      queries.set(brand, query);
      return query;
    },
    async labelsOf({ negativeReason, categoryDetails, tags }) {
      const named = [...(categoryDetails ?? [])];
      if (negativeReason) named.push({ parentName: REASONS, name: negativeReason });
      const found = new Map<string, CategoryDetail>();
      for (const { parentName, name } of named) {
        const category = await categoryOf(parentName, name);
        found.set(category.id, category);
      }
      const labels: { id: number; name: string }[] = [];
      for (const name of new Set(tags ?? [])) labels.push(await tagOf(name));
      return { categories: [...found.values()], tags: labels };
    },
  };
}
