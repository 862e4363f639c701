/** What a condition says: not met, or met because of something that can be told in one sentence of numbers. */
export type Verdict =
  | { readonly met: false; readonly because?: string }
  | { readonly met: true; readonly because: string };
