import type { RefusedReload, ReloadRequest } from "#monitor";

/** What a process knows when it decides whether to read its files again. */
export interface ReloadState {
  /** The version that it runs. */
  readonly version: string;
  /** The newest request that it has answered. */
  readonly answered: string | null;
  /** Why the newest reload changed nothing; null if it did. */
  readonly refused: Omit<RefusedReload, "at"> | null;
  /** A reload runs now. */
  readonly isReloading: boolean;
  /** How many SIGHUPs had arrived when the newest reload began: it read the files after each of them. */
  readonly hangUps: number;
  /** What the files contained when they were last read. */
  readonly digest: string | null;
  /** When to look again whether files that were asked for are here now. */
  readonly lookAt: number;
}

export type NextReload =
  | { readonly outcome: "Wait" }
  | { readonly outcome: "ReloadForSignal" }
  | { readonly outcome: "ReloadForRequest"; readonly request: ReloadRequest }
  /** Its files are not those that were asked for: they may be copied later. */
  | { readonly outcome: "LookAtFiles"; readonly request: ReloadRequest };

/**
 * One reload at a time. However many signals and requests arrive while it runs, one more follows it, which reads the files
 * as they are after the last of them.
 */
export function nextReload(
  state: ReloadState,
  seen: { readonly hangUps: number; readonly request: ReloadRequest | null },
  now: number,
): NextReload {
  const { request } = seen;
  if (state.isReloading) return { outcome: "Wait" };
  if (seen.hangUps !== state.hangUps) return { outcome: "ReloadForSignal" };
  if (request === null) return { outcome: "Wait" };
  if (request.id !== state.answered) return { outcome: "ReloadForRequest", request };
  if (request.version === state.version || now < state.lookAt) return { outcome: "Wait" };
  return { outcome: "LookAtFiles", request };
}

/** What the files are now. */
interface FilesNow {
  readonly digest: string;
  readonly version: string;
}

interface FilesVerdict {
  readonly refused: ReloadState["refused"];
  readonly reloads: boolean;
}

/** What follows from a look at the files. `asked` is the version that all processes should run now. */
export function judgeFiles(
  state: Pick<ReloadState, "refused" | "digest">,
  request: ReloadRequest,
  files: FilesNow,
  version: string | null,
): FilesVerdict {
  const isAsked = files.version === request.version;
  // Faults that a reload found stay until the next one.
  const hasFaults = state.refused !== null && state.refused.filesAre === null;
  const isCurrent = version === request.version;
  const refused = isCurrent
    ? { faults: [otherFiles(files.version, request)], filesAre: files.version }
    : null;
  return {
    refused: isAsked || hasFaults ? state.refused : refused,
    reloads: isAsked && files.digest !== state.digest,
  };
}

export function otherFiles(filesAre: string, { version }: Pick<ReloadRequest, "version">): string {
  return `its files are version ${filesAre}, and ${version} was asked for: copy the new files there`;
}
