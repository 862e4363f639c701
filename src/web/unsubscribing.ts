/** One reader of one digest, as a signed link names it. */
export interface Subscription {
  readonly digest: string;
  readonly receiver: string;
  readonly isSubscribed: boolean;
}

/** Ends subscriptions to digests. The token is all that is asked for: whoever has the mail may end it, and take it up again. */
export interface Unsubscribing {
  /** Null for a token that was not signed here. */
  find(token: string): Promise<Subscription | null>;
  set(token: string, subscribed: boolean): Promise<Subscription | null>;
}
