import type { Instant } from "../../lib/instant.ts";
import type { CategoryDetail } from "../records/mention-record.ts";
import { putCategory } from "../store/categories.ts";
import type { Database } from "../store/database.ts";
import { putQueries } from "../store/queries.ts";

/** Queries and categories of the project, made when the file first names them. */
export interface ImportTargets {
  queryOf(brand: string, at: Instant): Promise<{ id: number; name: string }>;
  categoryOf(reason: string): Promise<CategoryDetail>;
}

const PARENT_CATEGORY = "Negative reason";

export function createImportTargets(db: Database, projectId: number): ImportTargets {
  const queries = new Map<string, { id: number; name: string }>();
  const categories = new Map<string, CategoryDetail>();

  async function createQuery(name: string, at: Instant): Promise<{ id: number; name: string }> {
    const ids = await putQueries(db, projectId, [{ name, type: "search string" }], {
      username: "import",
      at,
    });
    const id = ids.get(name);
    if (id === undefined) throw new Error(`query ${JSON.stringify(name)} vanished while it was created`);
    return { id, name };
  }

  async function createCategory(reason: string): Promise<CategoryDetail> {
    const names = [...categories.keys(), reason];
    const parent = await putCategory(db, projectId, { name: PARENT_CATEGORY, children: names });
    const child = parent.children.find((candidate) => candidate.name === reason);
    if (child === undefined)
      throw new Error(`category ${JSON.stringify(reason)} vanished while it was created`);
    return { id: String(child.id), name: child.name, parentId: String(parent.id), parentName: parent.name };
  }

  return {
    async queryOf(brand, at) {
      const query = queries.get(brand) ?? (await createQuery(brand, at));
      queries.set(brand, query);
      return query;
    },
    async categoryOf(reason) {
      const category = categories.get(reason) ?? (await createCategory(reason));
      categories.set(reason, category);
      return category;
    },
  };
}
