/** What the local API needs of a log. Called without secrets and without text of mentions. */
export interface LocalApiLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
