import { type MentionFilter, WORK_STATUSES, type WorkFilter } from "#monitor";

/** What people decided about a mention, as somebody asks for it in the field of the search. */
type Narrowing = Pick<MentionFilter, "assignee" | "status" | "tag" | "list">;

export const WORK_FILTERS = ["to-do", ...WORK_STATUSES] as const satisfies readonly WorkFilter[];

/** A field, a phrase, a bracket, or a word. */
const TOKEN = /(assignee|status|tag|list):(?:"([^"]*)"|([^\s()"]+))|"[^"]*"?|[()]|[^\s()"]+/gi;

/**
 * Takes `assignee:`, `status:`, `tag:` and `list:` out of what somebody typed. The query language reads what mentions say, and
 * these are not of the mention: they narrow down the whole search, so they stand beside the rest of it.
 */
export function readNarrowing(typed: string): {
  readonly rest: string;
  readonly narrowing: Narrowing;
  readonly faults: readonly string[];
} {
  const tokens = [...typed.matchAll(TOKEN)].map((found) => ({
    ...{ text: found[0], at: found.index, field: found[1]?.toLowerCase() },
    value: (found[2] ?? found[3] ?? "").trim(),
  }));
  const narrowing: { assignee?: string; status?: WorkFilter; tag?: string; list?: string } = {};
  const faults: string[] = [];
  const left = new Set(tokens);
  let depth = 0;
  tokens.forEach((token, index) => {
    if (token.text === "(") depth++;
    if (token.text === ")") depth--;
    if (token.field === undefined) return;
    left.delete(token);
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    if (depth > 0 || before?.text === "NOT" || before?.text === "OR" || after?.text === "OR")
      faults.push(`${token.field}: narrows down the whole search: write it outside of brackets, NOT and OR.`);
    const and = [before, after].find((one) => one?.text === "AND" && left.has(one));
    if (and !== undefined) left.delete(and);
    if (token.field === "assignee") narrowing.assignee = token.value;
    else if (token.field === "tag") narrowing.tag = token.value;
    else if (token.field === "list") narrowing.list = token.value;
    else {
      const status = WORK_FILTERS.find((one) => one === token.value.toLowerCase());
      if (status === undefined) faults.push(`status: is one of ${WORK_FILTERS.join(", ")}.`);
      else narrowing.status = status;
    }
  });
  if (left.size === tokens.length) return { rest: typed, narrowing: {}, faults: [] };
  let rest = typed;
  for (const { text, at } of tokens.filter((token) => !left.has(token)).toReversed())
    rest = rest.slice(0, at) + rest.slice(at + text.length);
  return { rest: rest.trim(), narrowing, faults };
}
