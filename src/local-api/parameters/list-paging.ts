import type { ParameterReader } from "./parameter-reader.ts";

export interface ListPaging {
  /** From 0. */
  readonly page: number;
  readonly pageSize: number;
}

const MAX_PAGE_SIZE = 5_000;

/** `page` and `pageSize` of lists. Lists come whole unless a pageSize is given; -1 says the same as nothing. */
export function readListPaging(parameters: ParameterReader): ListPaging | undefined {
  const page = parameters.integer("page", { min: -1, max: 1_000_000_000 }) ?? -1;
  const pageSize = parameters.integer("pageSize", { min: -1, max: MAX_PAGE_SIZE }) ?? -1;
  if (pageSize === 0) parameters.fault(`pageSize: expected an integer from 1 to ${MAX_PAGE_SIZE}, got 0.`);
  if (page >= 0 && pageSize === -1) parameters.fault("page: expected a pageSize with it.");
  return pageSize > 0 ? { page: Math.max(0, page), pageSize } : undefined;
}
