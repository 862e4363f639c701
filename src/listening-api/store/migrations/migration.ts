/** One step of the schema. One that has been published is never edited. */
export interface Migration {
  /** Kept in the table `migration` of its schema once it ran. */
  readonly name: string;
  readonly statements: string;
}
