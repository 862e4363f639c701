import { isRecord } from "../../lib/json.ts";
import { type BodyReader, quote } from "../parameters/body-reader.ts";
import { deleteQueryGroup } from "../store/delete-things.ts";
import { listQueries } from "../store/queries.ts";
import {
  listQueryGroups,
  type QueryGroupSettings,
  type StoredQueryGroup,
  saveQueryGroup,
} from "../store/query-groups.ts";
import { queryGroupRecord } from "./project-records.ts";
import { defineResource, type ResourceScope, readSharing } from "./resource.ts";

const MAX_QUERIES = 1_000;

export const queryGroups = defineResource<StoredQueryGroup, QueryGroupSettings>({
  noun: "query group",
  path: "querygroups",
  alsoListedAt: { "querygroups/summary": queryGroupRecord },
  isCounted: false,
  isUniqueByName: true,
  createdStatus: 201,
  list: ({ db, project }) => listQueryGroups(db, project.id),
  record: queryGroupRecord,
  async read(body, scope, current) {
    const name = body.name(current?.name);
    const queryIds = (await readQueries(body, scope)) ?? current?.queries.map(({ id }) => id);
    if (queryIds === undefined && !body.has("queries"))
      body.fault('queries: required, an array such as [{"id": 2003001}].');
    // The creator of the group owns it.
    body.accept("id", "users", "userId", "userName");
    return { name, queryIds: queryIds ?? [], ...readSharing(body, scope, current) };
  },
  settingsOf: ({ name, queries, shared, sharedProjectIds }) => ({
    name,
    queryIds: queries.map(({ id }) => id),
    shared,
    sharedProjectIds,
  }),
  create: ({ db, project, caller }, settings) =>
    saveQueryGroup(db, { projectId: project.id, userId: caller.user.id }, settings),
  async update({ db, project, caller }, { id }, settings) {
    await saveQueryGroup(db, { projectId: project.id, userId: caller.user.id, id }, settings);
  },
  remove: ({ db }, { id }) => deleteQueryGroup(db, id),
});

/** Objects with an id, or ids. */
async function readQueries(
  body: BodyReader,
  { db, project }: ResourceScope,
): Promise<readonly number[] | undefined> {
  const given = body.list("queries", MAX_QUERIES);
  if (given === undefined) return undefined;
  if (given.length === 0) body.fault("queries: expected at least one query.");
  const known = new Set((await listQueries(db, project.id)).map(({ id }) => id));
  const ids = given.flatMap((entry, index) => {
    const id = isRecord(entry) ? entry["id"] : entry;
    if (typeof id === "number" && known.has(id)) return [id];
    body.fault(`queries[${index}].id: ${quote(id)} is no query of this project.`);
    return [];
  });
  return [...new Set(ids)].sort((a, b) => a - b);
}
