/** What is done with a mention, in the names of the calls; tags and subcategories by their ids. Absent: not asked for. */
export interface ChangeSet {
  readonly sentiment?: string;
  readonly status?: string;
  readonly priority?: string;
  readonly assignment?: string;
  readonly checked?: boolean;
  readonly starred?: boolean;
  /** Id of a place. */
  readonly location?: string;
  // Removed only if the mention has this value: somebody else may have set another one.
  readonly removeStatus?: string;
  readonly removePriority?: string;
  readonly removeAssignment?: string;
  readonly addTag?: readonly number[];
  readonly removeTag?: readonly number[];
  readonly addCategories?: readonly number[];
  readonly removeCategories?: readonly number[];
}
