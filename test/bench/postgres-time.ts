import { readdirSync, readFileSync } from "node:fs";

/** The process that started a backend of PostgreSQL on this machine. */
export function postmasterOf(backend: number): number {
  return Number(fieldsOf(backend)[1]);
}

/** Milliseconds of processor of all processes of PostgreSQL so far, those that ended included. */
export function postgresMs(postmaster: number): number {
  const own = fieldsOf(postmaster);
  const children = readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => fieldsOf(Number(pid)))
    .filter((fields) => Number(fields[1]) === postmaster);
  const sum = (fields: readonly string[], which: readonly number[]) =>
    which.reduce((total, field) => total + Number(fields[field] ?? 0), 0);
  return 10 * children.reduce((total, fields) => total + sum(fields, [11, 12]), sum(own, [11, 12, 13, 14]));
}

function fieldsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  } catch {
    return []; // It has just ended.
  }
}
