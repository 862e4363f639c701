import { API } from "typescript/unstable/sync";
import type { Mutant, MutatedFile } from "./find-mutants.ts";

/** Ids of the mutants that the compiler accepts: each is a file of its own beside the one that it changes. */
export function findCompiling(root: string, files: readonly MutatedFile[]): Set<number> {
  const texts = new Map<string, string>();
  const idOf = new Map<string, number>();
  for (const { file, source, mutants } of files)
    for (const { id, ...mutant } of mutants) {
      const path = `${root}/${file.replace(/\.ts$/, `.mutant-${id}.ts`)}`;
      texts.set(path, changed(source, mutant));
      idOf.set(path, id);
    }
  const config = `${root}/tsconfig.mutants.json`;
  texts.set(
    config,
    JSON.stringify({
      extends: "./tsconfig.json",
      compilerOptions: { incremental: false, noUnusedLocals: false, noUnusedParameters: false },
      include: [],
      files: [...idOf.keys()],
    }),
  );
  const api = new API({
    cwd: root,
    fs: {
      readFile: (path) => texts.get(path),
      fileExists: (path) => (texts.has(path) ? true : undefined),
    },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`there is no project ${config}`);
    const failed = new Set<string | undefined>(
      [...project.program.getSyntacticDiagnostics(), ...project.program.getSemanticDiagnostics()].map(
        ({ fileName }) => fileName,
      ),
    );
    return new Set([...idOf].flatMap(([path, id]) => (failed.has(path) ? [] : [id])));
  } finally {
    api.close();
  }
}

function changed(source: string, { start, end, after }: Pick<Mutant, "start" | "end" | "after">): string {
  return `${source.slice(0, start)}(${after})${source.slice(end)}`;
}
