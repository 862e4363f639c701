import { posix } from "node:path";
import { type SplitSource, splitSource } from "./split-source.ts";
import {
  GENERATED_FOLDERS,
  MAY_IMPORT,
  MAY_IMPORT_TYPES,
  PACKAGE_PLACES,
  PLUG_IN_LISTS,
  TEXT_RULES,
  TOP_LEVEL_FOLDERS,
  WORKERS_MAY_IMPORT,
} from "./tables.ts";

export interface Repository {
  /** Path from the root (with `/`) → text, for every TypeScript file of src and workers. */
  readonly files: Readonly<Record<string, string>>;
  readonly topLevelFolders: readonly string[];
}

const TABLES = "test/architecture/tables.ts";

/** Every breach of the tables: a sentence that says what to do. */
export function findFaults(repository: Repository): string[] {
  const faults: string[] = [];
  const graph = new Map<string, readonly string[]>();
  for (const [path, text] of Object.entries(repository.files)) {
    const source = splitSource(text);
    const imports = findImports(source.statements);
    const local = imports
      .filter(({ name }) => name.startsWith("."))
      .map(({ name, isType }) => ({ target: resolveFrom(path, name), isType }));
    graph.set(
      path,
      local.map(({ target }) => target),
    );
    const unknown = unknownPart(path);
    faults.push(
      ...unknown,
      ...(unknown.length > 0 ? [] : local.flatMap((one) => direction(path, one))),
      ...imports.filter(({ name }) => !name.startsWith(".")).flatMap(({ name }) => placement(path, name)),
      ...textFaults(path, source),
    );
  }
  for (const folder of repository.topLevelFolders) {
    if (folder.startsWith(".") || [...TOP_LEVEL_FOLDERS, ...GENERATED_FOLDERS].includes(folder)) continue;
    faults.push(`${folder}/: no such folder at the top level. Add it to TOP_LEVEL_FOLDERS in ${TABLES}`);
  }
  return [...faults, ...findCycles(graph), ...findUnlisted(graph)];
}

interface Import {
  readonly name: string;
  /** `import type` or `export type`: nothing of it is there when the program runs. */
  readonly isType: boolean;
}

function findImports(statements: string): Import[] {
  const found = statements.matchAll(
    /\b(?:import|export)\b(\s+type\b)?[^;"'()]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']|\bimport\s*["']([^"']+)["']/g,
  );
  return [...found].map(([, type, from, dynamic, bare]) => ({
    name: from ?? dynamic ?? bare ?? "",
    isType: type !== undefined,
  }));
}

function resolveFrom(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

/**
 * `src/monitor/queue/jobs.ts` → `queue`, `src/monitor/monitor.ts` → `app`, `src/monitor/notify/decide/route.ts` → `notify/decide`; the name of the
 * folder or file where the tables have none; undefined outside src.
 */
function partOf(path: string): string | undefined {
  const within = /^src\/(.+?)(?:\.ts)?$/.exec(path)?.[1];
  if (within === undefined) return undefined;
  const [first = "", second] = within.split("/");
  return Object.hasOwn(MAY_IMPORT, `${first}/${second}`) ? `${first}/${second}` : first;
}

function unknownPart(path: string): string[] {
  const part = partOf(path);
  return part === undefined || Object.hasOwn(MAY_IMPORT, part)
    ? []
    : [`${path}: src has no part ${part}. Add it to ${TABLES} and to the code map in docs/architecture.md`];
}

function direction(path: string, { target, isType }: { target: string; isType: boolean }): string[] {
  const from = partOf(path);
  const to = partOf(target);
  if (from === undefined) {
    if (to === undefined || WORKERS_MAY_IMPORT.includes(to)) return [];
    return [`${path}: workers may not import ${to} (${target}); see ${TABLES}`];
  }
  if (to === undefined) {
    return /^(?:test|workers)\//.test(target) ? [`${path}: src may not import ${target}`] : [];
  }
  if (from === to || MAY_IMPORT[from]?.includes(to)) return [];
  if (isType && MAY_IMPORT_TYPES[from]?.includes(to)) return [];
  return [
    `${path}: ${from} may not import ${to} (${target}). Pass what it needs as an argument, or see ${TABLES}`,
  ];
}

function placement(path: string, name: string): string[] {
  for (const [wanted, places] of Object.entries(PACKAGE_PLACES)) {
    const isIt = wanted.endsWith("/")
      ? name.startsWith(wanted)
      : name === wanted || name.startsWith(`${wanted}/`);
    if (isIt && !isIn(path, places)) return [`${path}: ${name} may only be imported in ${places.join(", ")}`];
  }
  return [];
}

function textFaults(path: string, source: SplitSource): string[] {
  return TEXT_RULES.flatMap(({ what, pattern, within, places }) => {
    if (isIn(path, places)) return [];
    const texts = within === "code" ? [source.code] : source.strings;
    if (!texts.some((text) => pattern.test(text))) return [];
    return [
      `${path}: ${what} is not allowed here${places.length === 0 ? "" : `, only in ${places.join(", ")}`}`,
    ];
  });
}

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place));
}

/** One sentence for each circle, from its first file in alphabetical order. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles = new Set<string>();
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const again = trail.indexOf(path);
    if (again !== -1) {
      const circle = trail.slice(again);
      const first = circle.indexOf([...circle].sort()[0] ?? "");
      cycles.add([...circle.slice(first), ...circle.slice(0, first), circle[first]].join(" → "));
      return;
    }
    if (finished.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of [...graph.keys()].sort()) visit(path, []);
  return [...cycles].map((cycle) => `files import each other in a circle: ${cycle}`);
}

function findUnlisted(graph: ReadonlyMap<string, readonly string[]>): string[] {
  return PLUG_IN_LISTS.flatMap(({ list, folder }) => {
    const listed = graph.get(list);
    const plugIns = [...graph.keys()].filter(
      (path) => path.startsWith(folder) && !path.slice(folder.length).includes("/"),
    );
    return plugIns
      .filter((path) => listed?.includes(path) !== true)
      .map((path) => `${path}: it is not in the list; add it to ${list}`);
  });
}
