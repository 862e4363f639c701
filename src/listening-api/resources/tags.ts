import { isDeepStrictEqual } from "node:util";
import { labelStored } from "../assign/label-rules.ts";
import type { StoredTag } from "../records/labels.ts";
import { deleteTag } from "../store/delete-things.ts";
import { insertTag, listTags, updateTag } from "../store/labels.ts";
import { removeTagFromRecords, renameTagInRecords } from "../store/rename-in-records.ts";
import { forgetReferences } from "./forget-references.ts";
import { readLabelRules } from "./read-label-rules.ts";
import { defineResource, type Resource } from "./resource.ts";

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
    async update({ db, project, at }, { id, name, rules: acted }, settings) {
      await updateTag(db, id, settings);
      if (settings.name !== name)
        await renameTagInRecords(db, project.id, { id, from: name, to: settings.name });
      // A rule that has acted does not undo what people did since.
      const rules = settings.rules.filter((rule) => !acted.some((known) => isDeepStrictEqual(known, rule)));
      await labelStored(db, project, { kind: "tag", id, name: settings.name, rules }, at);
    },
    async remove(scope, tag) {
      const { db, project } = scope;
      await forgetReferences(scope, { tagIds: [tag.id] });
      await removeTagFromRecords(db, project.id, tag);
      await deleteTag(db, tag.id);
    },
  });
}
