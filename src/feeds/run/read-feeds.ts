import { z } from "zod";
import { describeIssues } from "../../lib/describe-issues.ts";
import type { Issue } from "../../lib/errors.ts";
import { kindOf, kinds } from "../kinds/all-kinds.ts";
import type { FeedConfig } from "./listen-config.ts";

/** Reads the feeds even if other parts have faults, so that one check finds all of them. */
export function readFeeds(content: unknown, issues: Issue[]): FeedConfig[] {
  const listen: unknown = Reflect.get(Object(content), "listen");
  const feeds: unknown = Reflect.get(Object(listen), "feeds");
  if (!Array.isArray(feeds)) return [];
  const seen = new Set<string>();
  return feeds.flatMap((feed: unknown, index) => {
    const path = ["listen", "feeds", index];
    const kind: unknown = Reflect.get(Object(feed), "kind");
    const known = kinds.map((one) => one.kind as string);
    if (typeof kind !== "string" || !known.includes(kind)) {
      const got = typeof kind === "string" ? `, got "${kind.slice(0, 40)}"` : "";
      const at = typeof feed === "object" && feed !== null && "kind" in feed ? [...path, "kind"] : path;
      issues.push({ path: at, message: `expected a feed with a kind of ${known.join(", ")}${got}` });
      return [];
    }
    const { config } = kindOf({ kind });
    const parsed = config.safeParse(feed);
    if (parsed.success) {
      const definition = kindOf({ kind });
      const queries = queriesIn(listen);
      const faults = [...(definition.faults?.(parsed.data, { queries }) ?? [])];
      if (definition.sharedPart !== undefined) {
        const keys = definition
          .parts(parsed.data, { queries, readFile: () => "" })
          .map(({ id }) => `${kind} ${id}`);
        if (keys.some((key) => seen.has(key))) faults.push(definition.sharedPart(parsed.data));
        for (const key of keys) seen.add(key);
      }
      issues.push(...faults.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
      return [parsed.data as FeedConfig];
    }
    const found = describeIssues(parsed.error, config, feed);
    issues.push(...found.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
    return [];
  });
}

/** The queries as far as they are written well; the other faults are found elsewhere. */
function queriesIn(listen: unknown): { name: string; text: string }[] {
  const queries: unknown = Reflect.get(Object(listen), "queries");
  const Named = z.object({ name: z.string().trim(), text: z.string() });
  return (Array.isArray(queries) ? queries : []).flatMap((query: unknown) => {
    const named = Named.safeParse(query);
    return named.success ? [named.data] : [];
  });
}
