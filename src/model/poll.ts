/** added: mentions that are new to the query. updated: mentions that changed after they were seen. */
export type PollKind = "added" | "updated";

/** One of the two polls of a query. */
export interface PollKey {
  readonly projectId: string;
  readonly queryId: string;
  readonly poll: PollKind;
}
