import type { Mention } from "../model/mention.ts";
import { type EditParams, editMention } from "./calls/edit-mention.ts";
import {
  type ExplainedQueries,
  type ExplainParams,
  explainQueries,
  type FindMentionParams,
  findMention,
} from "./calls/explain-queries.ts";
import { type TopAuthor, topAuthors } from "./calls/mentions.ts";
import {
  createQueryGroup,
  deleteQueryGroup,
  type QueryGroup,
  queryGroups,
  updateQueryGroup,
  type WantedGroup,
} from "./calls/query-groups.ts";
import type { Call } from "./define-call.ts";
import type { ScopeParams } from "./mention-params.ts";
import type { CallOptions } from "./run-call.ts";

/** Calls that are not in the specification. The live service has them, except `explainQueries`. */
export interface Extensions {
  /** Only Earshot's own local API has it; any other answers 404. */
  explainQueries(params: ExplainParams, options?: CallOptions): Promise<ExplainedQueries>;
  /** Null: the record has no identity or no time. */
  findMention(params: FindMentionParams, options?: CallOptions): Promise<Mention | null>;
  /** Writes: sentiment or categories of one mention. */
  editMention(params: EditParams, options?: CallOptions): Promise<void>;
  queryGroups(projectId: string, options?: CallOptions): Promise<readonly QueryGroup[]>;
  createQueryGroup(group: WantedGroup, options?: CallOptions): Promise<QueryGroup>;
  updateQueryGroup(
    group: WantedGroup & { readonly queryGroupId: string },
    options?: CallOptions,
  ): Promise<void>;
  deleteQueryGroup(
    group: { readonly projectId: string; readonly queryGroupId: string },
    options?: CallOptions,
  ): Promise<void>;
  /** `limit`: 1 to 1,000. */
  topAuthors(
    params: ScopeParams & { readonly limit: number },
    options?: CallOptions,
  ): Promise<readonly TopAuthor[]>;
}

export function createExtensions(
  run: <Params, Result>(call: Call<Params, Result>, params: Params, options?: CallOptions) => Promise<Result>,
): Extensions {
  return {
    explainQueries: (params, options) => run(explainQueries, params, options),
    findMention: (params, options) => run(findMention, params, options),
    editMention: (params, options) => run(editMention, params, options),
    queryGroups: (projectId, options) => run(queryGroups, { projectId }, options),
    createQueryGroup: (group, options) => run(createQueryGroup, group, options),
    updateQueryGroup: (group, options) => run(updateQueryGroup, group, options),
    deleteQueryGroup: (group, options) => run(deleteQueryGroup, group, options),
    topAuthors: (params, options) => run(topAuthors, params, options),
  };
}
