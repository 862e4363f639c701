import type { Mention } from "../../../src/monitor/model/mention.ts";
import type { Query } from "../../../src/monitor/model/query.ts";
import { aMention as anyMention } from "../../mention.ts";

/** A mention with almost no fields but `known`. */
export function aMention(known: Partial<Mention> = {}): Mention {
  return anyMention({ queryId: "q1", resourceId: "r1", publishedAt: 0, addedAt: 0, updatedAt: 0, ...known });
}

export function aQuery(known: Partial<Query> = {}): Query {
  return { projectId: "p", queryId: "q1", name: "Acme", projectName: "Brands", timezone: "UTC", ...known };
}
