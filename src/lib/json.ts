/** Any JSON value. Types that are stored as JSON are aliases, not interfaces, so that they fit here. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
