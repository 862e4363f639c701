#!/usr/bin/env node
// Before the other imports, so that stack traces name lines of the sources.
process.setSourceMapsEnabled(true);

const { outliveReaders } = await import("./print.ts");
outliveReaders();
const { createProgram } = await import("./create-program.ts");
const { run } = await import("./run.ts");

await run(await createProgram(process.env, process.argv.slice(2)), process.argv);

export {};
