/** The verdict of a condition: not met, or met, with one sentence of numbers. */
export type Verdict =
  | { readonly met: false; readonly because?: string }
  | { readonly met: true; readonly because: string };
