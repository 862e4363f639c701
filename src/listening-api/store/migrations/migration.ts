/** One step of the schema. One that has been published is never edited. */
export interface Migration {
  /** Kept in `local_api.migration` once it ran. */
  readonly name: string;
  readonly statements: string;
}
