import { expect, test } from "vitest";
import { wholeWord } from "../../../src/monitor/store/whole-word.ts";
import { useStores } from "../../use-stores.ts";

const { database } = await useStores();

test.each([
  ["@ann: hi", "ann", "-: hi"],
  ["joann, ann_b and annie", "ann", "joann, ann_b and annie"],
  ["Ann's", "ann", "-'s"],
  ["a.b- or axb-", "a.b-", "- or axb-"],
  ["पानी से पान", "पान", "पानी से -"],
  // These scripts have no blank between a name and what follows it.
  ["昨日、山田太郎さんに電話", "山田太郎", "昨日、-さんに電話"],
  ["คุณสมชายโทรมา", "สมชาย", "คุณ-โทรมา"],
  ["김철수가 전화", "김철수", "-가 전화"],
  ["서김철수", "김철수", "서김철수"],
  ["山林と林", "林", "山林と林"],
  ["林: 山林", "林", "-: 山林"],
])("in the note %s, %s is found as a name", async (note, name, without) => {
  const { rows } = await database.pool.query("select regexp_replace($1, $2, '-', 'gi') as without", [
    note,
    wholeWord(name),
  ]);
  expect(rows[0].without).toBe(without);
});
