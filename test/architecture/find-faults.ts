import { posix } from "node:path";
import { type SplitSource, splitSource } from "./split-source.ts";
import {
  GENERATED_FOLDERS,
  MAY_IMPORT,
  MAY_IMPORT_TYPES,
  PACKAGE_PLACES,
  PLUG_IN_LISTS,
  ROOMS,
  TEXT_RULES,
  TOP_LEVEL_FOLDERS,
  WITHOUT_KNOT,
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
    const local = imports.flatMap((one): LocalImport[] => {
      const target = targetOf(path, one.name);
      return target === undefined ? [] : [{ ...one, target }];
    });
    graph.set(
      path,
      local.map(({ target }) => target),
    );
    const unknown = unknownPlace(path);
    faults.push(
      ...unknown,
      ...(unknown.length > 0 ? [] : local.flatMap((one) => direction(path, one))),
      ...imports.filter(({ name }) => !/^[.#]/.test(name)).flatMap(({ name }) => placement(path, name)),
      ...textFaults(path, source),
      ...longLines(path, text),
    );
  }
  for (const folder of repository.topLevelFolders) {
    if (folder.startsWith(".") || [...TOP_LEVEL_FOLDERS, ...GENERATED_FOLDERS].includes(folder)) continue;
    faults.push(`${folder}/: no such folder at the top level. Add it to TOP_LEVEL_FOLDERS in ${TABLES}`);
  }
  return [...faults, ...findCycles(graph), ...findKnots(graph), ...findUnlisted(graph)];
}

interface Import {
  readonly name: string;
  /** `import type` or `export type`: nothing of it is there when the program runs. */
  readonly isType: boolean;
}

interface LocalImport extends Import {
  /** Path from the root. */
  readonly target: string;
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

/** Where a file of src stands: its room, and its folder in the monitor (the longest that the tables have). */
interface Place {
  readonly room: string;
  /** Null: it stands in no folder of the monitor. */
  readonly folder: string | null;
}

/** `src/monitor/notify/decide/route.ts` → room `monitor`, folder `notify/decide`; undefined outside src. */
function placeOf(path: string): Place | undefined {
  const [src, room, ...rest] = path.split("/");
  if (src !== "src" || room === undefined) return undefined;
  const folders = rest.slice(0, -1);
  if (room !== "monitor" || folders.length === 0) return { room, folder: null };
  const [first = "", second] = folders;
  return { room, folder: Object.hasOwn(MAY_IMPORT, `${first}/${second}`) ? `${first}/${second}` : first };
}

function unknownPlace(path: string): string[] {
  const place = placeOf(path);
  if (place === undefined) return [];
  const { room, folder } = place;
  const where = `Add it to ${TABLES} and to the code map in docs/architecture.md`;
  if (!Object.hasOwn(ROOMS, room)) return [`${path}: src has no room ${room}. ${where}`];
  if (folder === null || Object.hasOwn(MAY_IMPORT, folder)) return [];
  return [`${path}: the monitor has no folder ${folder}. ${where}`];
}

/** `#monitor` → `src/monitor/index.ts`; a path beside the file; undefined for a package. */
function targetOf(path: string, name: string): string | undefined {
  if (name.startsWith("#")) return `src/${name.slice(1)}/index.ts`;
  return name.startsWith(".") ? posix.join(posix.dirname(path), name) : undefined;
}

function direction(path: string, { name, target, isType }: LocalImport): string[] {
  const from = placeOf(path);
  const to = placeOf(target);
  if (from === undefined)
    return to === undefined || WORKERS_MAY_IMPORT.includes(target)
      ? []
      : [`${path}: workers may not import ${target}; see ${TABLES}`];
  if (to === undefined)
    return /^(?:test|workers)\//.test(target) ? [`${path}: src may not import ${target}`] : [];
  if (from.room !== to.room) {
    if (!ROOMS[from.room]?.includes(to.room))
      return [
        `${path}: ${from.room} may not import ${to.room} (${target}). Pass what it needs as an argument, or see ${TABLES}`,
      ];
    return to.room === "lib" || name.startsWith("#")
      ? []
      : [`${path}: another room is entered by its door: import it from "#${to.room}", not ${target}`];
  }
  if (name.startsWith("#")) return [`${path}: a room does not use its own door (#${to.room})`];
  if (from.folder === null || from.folder === to.folder) return [];
  if (to.folder === null)
    return from.room === "monitor"
      ? [`${path}: a folder of the monitor may not import its wiring (${target})`]
      : [];
  if (MAY_IMPORT[from.folder]?.includes(to.folder)) return [];
  if (isType && MAY_IMPORT_TYPES[from.folder]?.includes(to.folder)) return [];
  return [
    `${path}: ${from.folder} may not import ${to.folder} (${target}). Pass what it needs as an argument, or see ${TABLES}`,
  ];
}

/** First folders of a room that import each other, directly or round a corner. The files beside them are one folder. */
function findKnots(graph: ReadonlyMap<string, readonly string[]>): string[] {
  return WITHOUT_KNOT.flatMap((room) => {
    const within = (path: string) => path.startsWith(`src/${room}/`);
    const folderOf = (path: string) => path.split("/").slice(2, -1)[0] ?? "its own files";
    const arrows = new Map<string, Set<string>>();
    for (const [path, targets] of graph)
      for (const target of within(path) ? targets.filter(within) : [])
        if (folderOf(path) !== folderOf(target))
          arrows.set(folderOf(path), (arrows.get(folderOf(path)) ?? new Set()).add(folderOf(target)));
    const reached = (from: string, seen = new Set<string>()): ReadonlySet<string> => {
      for (const next of arrows.get(from) ?? []) if (!seen.has(next)) reached(next, seen.add(next));
      return seen;
    };
    const knot = [...arrows.keys()].filter((folder) => reached(folder).has(folder)).sort();
    return knot.length === 0 ? [] : [`folders of ${room} import each other in a circle: ${knot.join(", ")}`];
  });
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

/** No formatter breaks what is in a template literal: pages have one element a line. */
function longLines(path: string, text: string): string[] {
  if (!path.startsWith("src/console/")) return [];
  const at = text.split("\n").findIndex((line) => line.length > WIDEST_LINE);
  return at === -1
    ? []
    : [`${path}:${at + 1}: a line of more than ${WIDEST_LINE} characters. Write one element of HTML a line`];
}

const WIDEST_LINE = 160;

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
      (path) => path !== list && path.startsWith(folder) && !path.slice(folder.length).includes("/"),
    );
    return plugIns
      .filter((path) => listed?.includes(path) !== true)
      .map((path) => `${path}: it is not in the list; add it to ${list}`);
  });
}
