import type { Statement } from "../grammar.ts";

/** What pages say in addition to messages. */
export const PAGE_STATEMENTS: readonly Statement[] = [];
