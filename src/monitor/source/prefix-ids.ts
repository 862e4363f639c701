/**
 * Ids of projects and queries with a prefix on our side that the server does not know. Two servers choose ids, so
 * without it they may be equal.
 */
interface IdPrefix {
  /** The parameters of a call, as the server understands them. Throws if an id is not one of this server. */
  asked<Params>(params: Params): Params;
  /** An answer, as our tables have it. */
  answered<Answer>(answer: Answer): Answer;
}

/** For a server whose ids are used as they are. */
export const NO_PREFIX: IdPrefix = { asked: (params) => params, answered: (answer) => answer };

export function idPrefix(prefix: string): IdPrefix {
  const without = (id: string): string => {
    if (!id.startsWith(prefix)) throw new Error(`${id} is no id of this source`);
    return id.slice(prefix.length);
  };
  return {
    asked: (params) => mapIds(params, without) as typeof params,
    answered: (answer) => mapIds(answer, (id) => prefix + id) as typeof answer,
  };
}

/** The lists in answers whose records have such ids. */
const LISTS = ["queries", "mentions", "rejected"];

function mapIds(value: unknown, map: (id: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => mapIds(one, map));
  if (typeof value !== "object" || value === null) return value;
  const mapped: Record<string, unknown> = { ...value };
  for (const key of ["projectId", "queryId"]) {
    const id = mapped[key];
    if (typeof id === "string") mapped[key] = map(id);
  }
  if (Array.isArray(mapped["queryIds"])) mapped["queryIds"] = mapped["queryIds"].map(map);
  for (const key of LISTS) if (key in mapped) mapped[key] = mapIds(mapped[key], map);
  return mapped;
}
