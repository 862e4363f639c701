import type { AccessFlags } from "./access.ts";

/** The flags of `earshot api`. */
export interface ApiOptions extends AccessFlags {
  readonly project?: string;
  readonly query: readonly string[];
  readonly queryGroup: readonly string[];
  readonly last?: string;
  readonly param: readonly string[];
  readonly all: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly tokenIn: "header" | "parameter";
  readonly jsonSuffix: boolean;
}

/** Where a command writes: the streams of the process, or of a test. */
export interface Output {
  write(text: string): boolean;
  once(event: "drain" | "close" | "error", listener: () => void): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
}
