/** The facts behind the metrics page. */
export interface MetricFacts {
  readonly alerts: readonly { readonly severity: string; readonly state: string; readonly n: number }[];
  /** Of the last 24 hours, by receiver; `detail` is the beginning of the vendor's answer. */
  readonly deliveries: readonly {
    readonly receiver: string;
    readonly outcome: string;
    readonly detail: string;
    readonly n: number;
  }[];
  readonly notifications: readonly {
    readonly receiver: string;
    readonly state: string;
    readonly reason: string;
    readonly n: number;
  }[];
  /** Current failures, by kind and reason. */
  readonly failures: readonly { readonly kind: string; readonly reason: string; readonly n: number }[];
  readonly deadLetters: readonly { readonly kind: string; readonly n: number }[];
  /** Rows by table, as the database estimates them. */
  readonly rows: readonly { readonly table: string; readonly n: number }[];
  /** Bytes of the whole database. */
  readonly databaseBytes: number;
}

/** The latest state of the heartbeat. */
export interface ShownHeartbeat {
  readonly outcome: string;
  readonly at: number;
  readonly reason?: string;
  readonly answer?: string | null;
  readonly configured?: boolean;
}

/** Jobs of one queue, as its engine counts them. */
export interface QueueCounts {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}
