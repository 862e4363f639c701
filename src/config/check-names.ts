import { digestClashes } from "../digest/digest-clashes.ts";
import { closestWord } from "../lib/closest-word.ts";
import type { Issue } from "../lib/fault.ts";
import type { RouteConfig } from "../notify/route.ts";
import type { ConfigFile } from "./config-file.ts";
import type { ReceiverConfig } from "./receiver-config.ts";

type Path = Issue["path"];

/** Names that routes and digests use have to be names of receivers. */
export function checkNames(config: ConfigFile, receivers: readonly ReceiverConfig[], issues: Issue[]): void {
  const names = receivers.map((receiver) => receiver.name);
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index)
      issues.push({ path: ["receivers", index, "name"], message: `there are two receivers "${name}"` });
  });
  const check = (path: Path, used: readonly string[], known = names) => {
    used.forEach((name, index) => {
      if (known.includes(name)) return;
      const suggestion = closestWord(name, known);
      issues.push({
        path: [...path, "receivers", index],
        message: `there is no receiver "${name}"`,
        ...(suggestion === undefined ? {} : { suggestion }),
      });
    });
  };
  const checkRoutes = (path: Path, routes: readonly RouteConfig[], around: readonly string[]) => {
    routes.forEach((route, index) => {
      // What is taken over from the route around it is told of there.
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
}

/** Steps lead to receivers or rotations, so a name may be only one of the two. */
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
