import { isRecord } from "../../lib/json.ts";
import { type BodyReader, quote } from "../parameters/body-reader.ts";
import { GAZETTEER } from "../places/gazetteer.ts";
import { deleteSavedList } from "../store/delete-things.ts";
import { listProjects } from "../store/projects.ts";
import {
  createSavedList,
  type ListKind,
  type ListSharing,
  listSavedLists,
  type StoredList,
  updateSavedList,
} from "../store/saved-lists.ts";
import {
  authorListRecord,
  locationListRecord,
  projectSummaryRecord,
  siteListRecord,
} from "./project-records.ts";
import { defineResource, type Resource, readSharing } from "./resource.ts";

type ListSettings = Pick<StoredList, "name" | "shared" | "sharedProjectIds" | "entries">;

const MAX_ENTRIES = 1_000;
const MAX_ENTRY = 500;

/** Author, site and location lists. Anybody changes a public one; a private one is seen by its owner alone. */
export const savedLists: readonly Resource[] = [
  savedList("author", "authors", authorListRecord),
  savedList("site", "domains", siteListRecord),
  savedList("location", "locations", locationListRecord),
];

function savedList(kind: ListKind, field: string, record: (list: StoredList) => object): Resource {
  return defineResource<StoredList, ListSettings>({
    noun: `${kind} list`,
    path: `group/${kind}`,
    alsoListedAt: { [`group/${kind}/summary`]: record },
    isCounted: true,
    // The live service makes a second list of a repeated request, too.
    isUniqueByName: false,
    createdStatus: 200,
    isOfClient: true,
    beside: async (records, { db, caller }) => {
      const sharedWith = new Set(
        records.flatMap((list) => (list as { sharedProjectIds: number[] }).sharedProjectIds),
      );
      const projects = (await listProjects(db, caller.client.id)).filter(({ id }) => sharedWith.has(id));
      return { projects: projects.map(projectSummaryRecord) };
    },
    list: ({ db, project, caller }) =>
      listSavedLists(db, kind, { clientId: caller.client.id, projectId: project.id, userId: caller.user.id }),
    record,
    read(body, scope, current) {
      const name = body.name(current?.name);
      const entries =
        (kind === "location" ? readLocations(body) : readTexts(body, field)) ?? current?.entries;
      if (entries === undefined && !body.has(field))
        body.fault(
          kind === "location"
            ? "locations: expected an array of 1 to 1000 objects with an id, got nothing."
            : `${field}: expected an array of 1 to ${MAX_ENTRIES} texts, got nothing.`,
        );
      body.accept("id", "userName", "userId");
      return { name, entries: entries ?? [], ...readSharing(body, scope, current) };
    },
    settingsOf: ({ name, shared, sharedProjectIds, entries }) => ({
      name,
      shared,
      sharedProjectIds,
      entries,
    }),
    async create({ db, caller }, { shared, ...list }) {
      const owner = { clientId: caller.client.id, userId: caller.user.id };
      return createSavedList(db, kind, { ...list, ...owner, shared: shared as ListSharing });
    },
    async update({ db }, list, settings) {
      await updateSavedList(db, list.id, settings);
      return { ...list, ...settings };
    },
    remove: ({ db }, { id }) => deleteSavedList(db, id),
  });
}

function readTexts(body: BodyReader, field: string): readonly string[] | undefined {
  const found = body.texts(field, { max: MAX_ENTRIES, maxLength: MAX_ENTRY });
  if (found?.length === 0) body.fault(`${field}: expected at least one entry.`);
  return found === undefined ? undefined : [...new Set(found)];
}

function readLocations(body: BodyReader): readonly string[] | undefined {
  if (!body.has("locations")) return undefined;
  const { locations } = body.body;
  if (!Array.isArray(locations) || locations.length === 0 || locations.length > MAX_ENTRIES) {
    const got = Array.isArray(locations) ? `an array of ${locations.length}` : quote(locations);
    body.fault(`locations: expected an array of 1 to ${MAX_ENTRIES} objects with an id, got ${got}.`);
    return [];
  }
  const ids = locations.flatMap((entry: unknown, index) => {
    const id = isRecord(entry) ? entry["id"] : entry;
    if (typeof id === "string" && GAZETTEER.has(id)) return [id];
    body.fault(
      typeof id === "string"
        ? `locations[${index}].id: ${quote(id)} is no known location; expected an id such as "gb", "us-ma" or "bos1".`
        : `locations[${index}].id: expected the id of a location as text, got ${quote(id)}.`,
    );
    return [];
  });
  return [...new Set(ids)];
}
