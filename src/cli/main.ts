#!/usr/bin/env node
const { nameSourceLines } = await import("../lib/source-lines.ts");
nameSourceLines();
const { outliveReaders } = await import("./common/print.ts");
outliveReaders();
const { createProgram } = await import("./create-program.ts");
const { run } = await import("./common/run.ts");

await run(await createProgram(process.env, process.argv.slice(2)), process.argv);

export {};
