import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { BEGUN_FIRST } from "./projects.ts";

/** Vitest knows how long a file takes after its first run. In a fresh clone it would begin with the largest files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = BEGUN_FIRST.indexOf(relative(this.ctx.config.root, moduleId));
      return place === -1 ? BEGUN_FIRST.length : place;
    };
    // One project after the other, as vitest has them: a process runs the files of one.
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).sort((a, b) => placeOf(a) - placeOf(b)),
    );
  }
}
