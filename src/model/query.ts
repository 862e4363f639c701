/** A saved search at the source, inside a project. Ids are text: the source may use more than 53 bits. */
export interface Query {
  readonly projectId: string;
  readonly queryId: string;
  readonly name: string;
  readonly projectName: string;
  /** IANA zone of the project, UTC where the source names none. */
  readonly timezone: string;
}
