import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DATA_POLICIES, type DataPolicyName } from "../../../src/listening-api/records/data-policy.ts";
import { type MentionFields, mentionRecord } from "../../../src/listening-api/records/mention-record.ts";
import { packRecord } from "../../../src/listening-api/records/packed-record.ts";
import { createRecordView, type ViewOptions } from "../../../src/listening-api/records/record-view.ts";
import { runs } from "../../runs.ts";
import { resourceId } from "../fixture.ts";
import { CURRENT_FIELDS, EARLIER_FIELDS, isOfKind } from "./spec-fields.ts";

const SECRET = "SECRETWORD";

const SILENT: MentionFields = {
  resourceId: resourceId(1),
  queryId: 7,
  queryName: "Alpha",
  added: "2026-03-03T12:00:00.000+0000",
  updated: "2026-03-03T12:00:00.000+0000",
};

/** Says something in every field. */
const TALKATIVE: MentionFields = {
  ...(Object.fromEntries(
    Object.entries(CURRENT_FIELDS).map(([name, kind]) => [name, sample(kind)]),
  ) as Partial<MentionFields>),
  ...SILENT,
  pageType: "twitter",
  snippet: `The ${SECRET} is #${SECRET} says @${SECRET}`,
  url: "https://twitter.example/ann/status/1234567890123456789",
  matchPositions: [{ start: 4, text: SECRET, length: SECRET.length }],
  region: "Bavaria",
  regionCode: "DEU.BY",
};

function sample(kind: string): unknown {
  if (kind === "string") return SECRET;
  if (kind === "timestamp") return "2026-03-01T00:00:00.000+0000";
  if (kind === "boolean") return true;
  if (kind === "strings") return [SECRET];
  if (kind === "integers") return [1, 2];
  if (kind === "array") return [{ id: SECRET }];
  return 3_000_000_000;
}

function shown(
  fields: MentionFields,
  options: Partial<ViewOptions> = {},
  fullText: string | null = fields.snippet ?? null,
): Record<string, unknown> {
  const view = createRecordView({ version: "current", policy: "full", text: "snippet", ...options });
  const { filledFields, shape } = packRecord(mentionRecord(fields));
  const stored = { filledFields, emptyFields: shape.emptyFields, mentionId: 123_456_789_012_345, fullText };
  const first = view.render(stored);
  expect(view.render(stored)).toBe(first);
  expect(new Set(first.match(/[\uD800-\uDFFF]/gu) ?? []).size).toBe(0);
  return JSON.parse(first);
}

describe.each([
  ["current", CURRENT_FIELDS],
  ["earlier", EARLIER_FIELDS],
] as const)("the %s version", (version, expected) => {
  it.each([
    ["a mention that says nothing", SILENT],
    ["a mention that says everything", TALKATIVE],
  ])("has exactly the fields of the spec, and the number of the post: %s", (_, fields) => {
    expect(Object.keys(shown(fields, { version })).sort()).toEqual([...Object.keys(expected), "guid"].sort());
  });

  it.each(Object.entries(expected))("has %s as %s, or null", (name, kind) => {
    for (const fields of [SILENT, TALKATIVE]) {
      const value = shown(fields, { version })[name];
      expect({ value, kind, is: isOfKind(kind, value) }).toEqual({ value, kind, is: true });
    }
  });

  it("shows null where nothing is known, and lists and flags as empty and false", () => {
    const record = shown(SILENT, { version });
    for (const [name, kind] of Object.entries(expected)) {
      if (["resourceId", "id", "queryId", "queryName", "added", "updated", "trackedLinks"].includes(name))
        continue;
      if (name === "resourceType" && version === "earlier") continue;
      const silent =
        kind === "boolean" && !name.startsWith("twitter") ? false : /s$|array/.test(kind) ? [] : null;
      expect([name, record[name]]).toEqual([name, silent]);
    }
  });
});

describe("the earlier version", () => {
  it("has an integer for its id, everywhere, and is a page", () => {
    const record = shown(TALKATIVE, { version: "earlier" });
    expect(record).toMatchObject({ id: 123_456_789_012_345, resourceType: "page" });
    expect(record["resourceId"]).toBe(record["id"]);
  });

  it("says by its own names what the current one says by others, and counts words", () => {
    expect(
      shown({ ...TALKATIVE, city: "Munich" }, { version: "earlier" }, "one two, it's three"),
    ).toMatchObject({
      state: "Bavaria",
      stateCode: "DEU.BY",
      authorState: "Bavaria",
      authorCity: "Munich",
      region: "Bavaria",
      wordCount: 4,
    });
    expect(shown(TALKATIVE, { version: "earlier" }, "यहाँ पानी नहीं है")).toMatchObject({ wordCount: 4 });
  });
});

describe("full text", () => {
  it("has a field of its own and leaves the snippet null", () => {
    for (const version of ["current", "earlier"] as const) {
      const record = shown(TALKATIVE, { version, text: "full" }, "all of it");
      expect(record).toMatchObject({ fullText: "all of it", snippet: null });
      expect(Object.keys(record)).toHaveLength(Object.keys(shown(TALKATIVE, { version })).length + 1);
    }
    expect(shown(SILENT, { text: "full" })).toMatchObject({ fullText: null, snippet: null });
  });
});

describe("the restricted policy", () => {
  const views = (["current", "earlier"] as const).flatMap((version) =>
    (["snippet", "full"] as const).map((text) => ({ version, text, policy: "restricted" as const })),
  );

  /** Page type, the fields that still say something, beyond what names the mention and what the client wrote. */
  const cases: readonly [string, readonly string[]][] = [
    [
      "twitter",
      [
        ..."accountType city cityCode country countryCode classifications domain entityInfo gender guid imageInfo".split(
          " ",
        ),
        ..."impact impressions language professions reachEstimate sentiment".split(" "),
      ],
    ],
    ["reddit", ["url", "originalUrl", "domain"]],
  ];

  const OWN =
    "resourceId resourceType queryId queryName added updated pageType pageTypeName assignment lastAssignmentDate priority status checked starred tags categories categoryDetails";

  it.each(cases)("shows of %s an allow-list and nulls for all other fields", (pageType, allowed) => {
    const record = shown({ ...TALKATIVE, pageType }, { policy: "restricted" });
    const speaking = Object.keys(record).filter((name) => record[name] !== null);
    expect(speaking.sort()).toEqual([...OWN.split(" "), ...allowed].sort());
  });

  it("withholds the same fields when they say nothing", () => {
    const talkative = shown(TALKATIVE, { policy: "restricted" });
    const silent = shown({ ...SILENT, pageType: "twitter" }, { policy: "restricted" });
    for (const name of ["insightsHashtag", "matchPositions", "snippet", "date", "interest"])
      expect([name, silent[name]]).toEqual([name, talkative[name]]);
  });

  it("names a post by its number, where its own address does", () => {
    expect(shown(TALKATIVE, { policy: "restricted" })).toMatchObject({
      guid: "1234567890123456789",
      url: null,
    });
    expect(shown({ ...TALKATIVE, url: null }, { policy: "restricted" })).toHaveProperty("guid", null);
    // Without a policy, of every source.
    for (const version of ["current", "earlier"] as const)
      for (const pageType of ["twitter", "news"]) {
        const guid = "1234567890123456789";
        expect(shown({ ...TALKATIVE, pageType }, { version })).toMatchObject({ guid });
        // The addresses of its pictures and links are others.
        expect(shown({ ...TALKATIVE, pageType, url: null }, { version })).toHaveProperty("guid", null);
        const imageInfo = [{ size: 1, url: "https://img.example/12" }];
        expect(shown({ ...SILENT, pageType, imageInfo }, { version })).toHaveProperty("guid", null);
      }
    expect(shown({ ...TALKATIVE, pageType: "news" }, { policy: "restricted" })).toHaveProperty("guid", null);
  });

  it.each(["twitter", "reddit", "linkedin"])(
    "lets nothing of a text from %s through, in any view",
    (pageType) => {
      const fields: MentionFields = {
        ...SILENT,
        pageType,
        title: SECRET,
        snippet: TALKATIVE.snippet ?? "",
        matchPositions: TALKATIVE.matchPositions ?? [],
        insightsHashtag: [`#${SECRET}`],
        insightsMentioned: [`@${SECRET}`],
        expandedUrls: [`https://a.example/${SECRET}`],
        shortUrls: [SECRET],
        displayUrls: [SECRET],
      };
      for (const view of views)
        expect(JSON.stringify(shown(fields, view, `full ${SECRET}`))).not.toContain(SECRET);
    },
  );

  it("shows some 256 characters of news, and no match, hashtag or author beyond them", () => {
    const text = `${"a".repeat(200)} #seen ${"b".repeat(48)}😀 #${SECRET} @${SECRET}`;
    const fields: MentionFields = {
      ...SILENT,
      pageType: "news",
      snippet: text,
      insightsHashtag: ["#seen", `#${SECRET}`],
      insightsMentioned: [`@${SECRET}`],
      matchPositions: [
        { start: 202, text: "seen", length: 4 },
        { start: 260, text: SECRET, length: SECRET.length },
      ],
    };
    const record = shown(fields, { policy: "restricted" });
    expect(String(record["snippet"])).toHaveLength(255);
    expect(record).toMatchObject({
      insightsHashtag: ["#seen"],
      insightsMentioned: [],
      matchPositions: [{ start: 202, text: "seen", length: 4 }],
    });
    for (const view of views) expect(JSON.stringify(shown(fields, view, text))).not.toContain(SECRET);
    const full = shown(fields, { policy: "restricted", text: "full" }, text);
    expect(full["fullText"]).toBe(record["snippet"]);
  });

  it("leaves other sources as they are", () => {
    const fields = { ...TALKATIVE, pageType: "forum" };
    expect(shown(fields, { policy: "restricted" })).toEqual(shown(fields));
    const unknown = { ...TALKATIVE, pageType: "constructor" };
    expect(shown(unknown, { policy: "restricted" })).toEqual(shown(unknown));
  });
});

it("every view gives valid JSON with any text, as it was found, and fields that depend on no value", () => {
  const Text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\0", "\ud83d", "\udc00x", '"}', "\\", "</script>", "\u2028", '","pageType":"news'),
  );
  const policies = Object.keys(DATA_POLICIES) as DataPolicyName[];
  fc.assert(
    fc.property(
      fc.record({
        author: Text,
        snippet: Text,
        full: Text,
        pageType: fc.constantFrom("twitter", "news", "blog"),
      }),
      fc.record({
        version: fc.constantFrom("current" as const, "earlier" as const),
        text: fc.constantFrom("snippet" as const, "full" as const),
        policy: fc.constantFrom(...policies),
      }),
      ({ full, ...fields }, view) => {
        const record = shown({ ...SILENT, ...fields }, view, full);
        const isOpen = view.policy === "full" || fields.pageType === "blog";
        const names = Object.keys(shown({ ...SILENT, pageType: fields.pageType }, view, null)).sort();
        expect(Object.keys(record).sort()).toEqual(names);
        if (!isOpen) return;
        expect(record["author"]).toBe(fields.author);
        expect(record[view.text === "full" ? "fullText" : "snippet"]).toBe(
          view.text === "full" ? full : fields.snippet,
        );
      },
    ),
    { numRuns: runs(200) },
  );
});
