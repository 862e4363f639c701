export interface TopKey {
  readonly key: string;
  /** What most mentions with the key call it; null where they do not say. */
  readonly name: string | null;
  /** Mentions that have it. */
  readonly volume: number;
}
