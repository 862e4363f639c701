import { sql } from "kysely";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { saveCategory } from "../../src/listening-api/store/labels.ts";
import { type Fixture, mentionVersion, resourceId, T0 } from "../listening-api/fixture.ts";

/** A call of the local API with a body of the greatest size. */
export interface GreatestBody {
  readonly name: string;
  readonly method: "PATCH" | "POST";
  /** Below the project. */
  readonly path: string;
  readonly body: () => unknown;
  /** Of its answer. */
  readonly status: number;
}

const TAGS = 5_000;
const MENTIONS = 1_000;
/** As long as words get without being cut. */
const LONGEST_POST = "a ".repeat(4_900) + "x ".repeat(50) + "b ".repeat(4_900);

const listOf = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const anyOf = (most: number, make: (n: number) => string): string => {
  let text = make(0);
  for (let n = 1, next = ` OR ${make(n)}`; text.length + next.length <= most; next = ` OR ${make(++n)}`)
    text += next;
  return text;
};
const QUERIES: Readonly<Record<string, string>> = {
  words: anyOf(50_000, (n) => `w${n}`),
  NEAR: anyOf(50_000, (n) => `(a NEAR/${n % 9} b)`),
  "phrases in NEAR": anyOf(50_000, (n) => `("a a" NEAR/${n % 9} "b b")`),
  distances: anyOf(40_000, (n) => `"a b"~${n % 9}`),
  wildcards: anyOf(50_000, (n) => `ab${n % 100}*`),
};

/** A project with many labels and mentions, and the worst bodies that its calls accept. */
export async function greatestBodies({ database, account }: Fixture): Promise<readonly GreatestBody[]> {
  const db = createDatabase(database.pool);
  const { projectId } = account;
  await sql`
    insert into local_api.tag (project_id, name)
    select ${projectId}, 't' || n from generate_series(1, ${TAGS}) n`.execute(db);
  await sql`
    insert into local_api.category (project_id, parent_id, name, multiple)
    select ${projectId}, null, 'x' || n, false from generate_series(1, 2000) n`.execute(db);
  const children = listOf(1_000, (n) => ({ name: `c${n}` }));
  for (const name of ["Many", "More"]) await saveCategory(db, projectId, { name, multiple: true, children });
  const { rows } = await sql<{ id: string }>`
    select id from local_api.category where project_id = ${projectId} and parent_id is not null order by id`.execute(
    db,
  );
  const categories = rows.slice(-1_000).map(({ id }) => Number(id));
  const queryId = (
    await sql<{
      id: string;
    }>`select id from local_api.query where project_id = ${projectId} order by id`.execute(db)
  ).rows.map(({ id }) => Number(id))[0] as number;
  await insertMentions(
    db,
    listOf(MENTIONS, (n) => {
      const version = mentionVersion({ queryId, resourceId: resourceId(n + 1) }, { added: T0 - 1_000 });
      return n < 2 ? { ...version, fullText: LONGEST_POST } : version;
    }),
  );
  const tags = (from: number) => listOf(100, (n) => `t${TAGS - ((from + n) % (TAGS - 1))}`);
  const edits =
    (length: number, edit: (n: number) => object, isOne = false) =>
    () =>
      listOf(length, (n) => ({ queryId, resourceId: resourceId(isOne ? 1 : n + 1), ...edit(n) }));
  const edit = (name: string, status: number, body: () => unknown): GreatestBody => ({
    ...{ name: `mentions: ${name}`, method: "PATCH", path: "data/mentions", body, status },
  });
  const make = (path: string, name: string, status: number, body: () => unknown): GreatestBody => ({
    ...{ name: `${path}: ${name}`, method: "POST", path, body, status },
  });
  return [
    edit(
      "tags",
      200,
      edits(MENTIONS, (n) => ({ addTag: tags(n), removeTag: tags(n + 500) })),
    ),
    edit(
      "tags of one mention",
      200,
      edits(MENTIONS, (n) => ({ addTag: tags(n * 100), removeTag: tags(n) }), true),
    ),
    edit(
      "unknown tags",
      400,
      edits(MENTIONS, (n) => ({ addTag: listOf(100, (k) => `u${n} ${k}`) })),
    ),
    edit(
      "categories",
      200,
      edits(40, () => ({ addCategories: categories })),
    ),
    edit(
      "categories of one mention",
      200,
      edits(40, () => ({ removeCategories: categories }), true),
    ),
    edit(
      "more categories than are allowed",
      400,
      edits(20, () => ({ addCategories: listOf(10_000, (k) => k) })),
    ),
    edit("unknown fields", 400, () => [Object.fromEntries(listOf(150_000, (n) => [`k${n}`, 1]))]),
    ...Object.entries(QUERIES).map(([name, booleanQuery]) =>
      make("queries", name, 201, () => ({ name, booleanQuery })),
    ),
    make("queries", "a million brackets", 400, () => "[".repeat(990_000)),
    make("queries/explain", "a text that misses all of these", 200, () => ({ text: LONGEST_POST })),
    make("queries/explain", "a text of too many letters", 400, () => ({ text: "中".repeat(199_000) })),
    make("querygroups", "foreign projects", 400, () => ({
      ...{
        name: "g",
        queries: listOf(1_000, () => queryId),
        sharedProjectIds: listOf(10_000, (n) => n + 1e6),
      },
    })),
    make("ruletags", "rules with queries", 201, () => ({
      name: "g",
      rules: listOf(5, () => ({ filter: { search: anyOf(48_000, (n) => `(a NEAR/${n % 9} b)`) } })),
    })),
    make("ruletags", "unknown filters", 400, () => ({
      name: "u",
      rules: [{ filter: Object.fromEntries(listOf(17_000, (n) => [`k${n}`, 1])) }],
    })),
    make("rulecategories", "children", 201, () => ({ name: "cc", children })),
    make("group/author", "authors", 200, () => ({
      name: "a",
      authors: listOf(1_000, (n) => `a${n}${"x".repeat(240)}`),
    })),
    make("group/location", "unknown places", 400, () => ({
      name: "l",
      locations: listOf(1_000, (n) => ({ id: `${n}${"x".repeat(240)}` })),
    })),
    make(`queries/${queryId}/backfill`, "no date", 400, () => ({ minDate: "x".repeat(250_000) })),
  ];
}
