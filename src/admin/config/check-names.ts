import { digestClashes, nameKey, type RouteConfig } from "#monitor";
import { closestWord } from "../../lib/closest-word.ts";
import type { Issue } from "../../lib/errors.ts";
import type { ConfigFile } from "./config-file.ts";

type Path = Issue["path"];

/** Routes and digests must use names of known receivers. */
export function checkNames(config: ConfigFile, issues: Issue[]): void {
  // Include receivers with faults, so that their fault is not reported again where they are used.
  const names = config.receivers.map(nameOf);
  names.forEach((name, index) => {
    if (name !== "" && names.indexOf(name) !== index)
      issues.push({ path: ["receivers", index, "name"], message: `there are two receivers "${name}"` });
  });
  const check = (path: Path, used: readonly string[], known = names) => {
    used.forEach((name, index) => {
      if (known.includes(name)) return;
      const suggestion = closestWord(name, known);
      issues.push({
        path: [...path, "receivers", index],
        message: `there is no receiver "${name}"`,
        suggestion,
      });
    });
  };
  const checkRoutes = (path: Path, routes: readonly RouteConfig[], around: readonly string[]) => {
    routes.forEach((route, index) => {
      // Inherited receivers are checked at the parent route.
      if (route.receivers !== around) check([...path, index], route.receivers);
      checkRoutes([...path, index, "routes"], route.routes, route.receivers);
    });
  };
  checkRoutes(["routes"], config.routes, []);
  config.digests.forEach((digest, index) => {
    check(
      ["digests", index],
      digest.receivers.map(({ name }) => name),
    );
  });
  issues.push(...digestClashes(config.digests));
  check(["operator"], config.operator.receivers ?? []);
  checkEscalations(config, names, issues, check);
  checkUsers(config, issues);
}

/** A name of the console is one user: also the shared login's. */
function checkUsers({ web }: ConfigFile, issues: Issue[]): void {
  const keys = [web.login?.username ?? "", ...web.users.map(({ name }) => name)].map(nameKey);
  web.users.forEach(({ name }, index) => {
    if (keys.indexOf(nameKey(name)) <= index)
      issues.push({ path: ["web", "users", index, "name"], message: `there are two users "${name}"` });
  });
}

function nameOf(receiver: unknown): string {
  return typeof receiver === "object" && receiver !== null && "name" in receiver ? String(receiver.name) : "";
}

/** Steps name receivers or rotations, so a name may be only one of the two. */
function checkEscalations(
  { escalations, rotations }: ConfigFile,
  names: readonly string[],
  issues: Issue[],
  check: (path: Path, used: readonly string[], known?: string[]) => void,
): void {
  const known = [...names, ...rotations.map((rotation) => rotation.name)];
  rotations.forEach((rotation, index) => {
    if (known.indexOf(rotation.name) !== names.length + index)
      issues.push({
        path: ["rotations", index, "name"],
        message: `"${rotation.name}" is the name of another rotation or of a receiver`,
      });
    check(["rotations", index], rotation.receivers);
  });
  escalations.forEach((escalation, index) => {
    escalation.steps.forEach((step, at) => {
      check(["escalations", index, "steps", at], step.receivers, known);
    });
  });
}
