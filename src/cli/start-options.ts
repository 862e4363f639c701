import type { ReplaySpeed } from "#lab";
import type { Role } from "#monitor";

export interface StartOptions {
  readonly config?: string;
  /** Default: all of them. */
  readonly roles?: readonly (Role | "web")[];
  readonly port?: number | undefined;
  readonly page: boolean;
  /** The console in this process, too. */
  readonly oneProcess: boolean;
  readonly replay?: string;
  readonly rules?: string;
  readonly speed: ReplaySpeed;
  readonly exitWhenDone: boolean;
  readonly json: boolean;
}
