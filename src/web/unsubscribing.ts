/** One reader of one digest, as a signed link names it. */
export interface Subscription {
  readonly digest: string;
  readonly receiver: string;
  readonly isSubscribed: boolean;
}

/** Ends subscriptions to digests. It needs only the token: anyone with the mail may unsubscribe and subscribe again. */
export interface Unsubscribing {
  /** Null for a token that was not signed here. */
  find(token: string): Promise<Subscription | null>;
  set(token: string, subscribed: boolean): Promise<Subscription | null>;
}
