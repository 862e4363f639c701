import { resolve } from "node:path";
import { UserError } from "../../lib/errors.ts";
import { shippedFolder } from "../../lib/folders.ts";
import { counted } from "../../lib/numbers.ts";
import { createRenderer, type Renderer } from "./create-renderer.ts";

/** The templates of a folder over the shipped ones: a missing file is replaced by the shipped one. */
export function openTemplates(
  folder: string,
  tried?: { readonly name: string; readonly text: string },
): Promise<Renderer> {
  return createRenderer({ folder, base: shippedFolder("templates"), tried });
}

/**
 * The templates of a folder, each tried with every sample. Rejects with a UserError that names every fault. It takes
 * some tenths of a second, so only processes that send call it.
 */
export async function validTemplates(folder: string): Promise<Renderer> {
  const renderer = await openTemplates(folder);
  // The shipped ones were tried before the release.
  if (resolve(folder) === resolve(shippedFolder("templates"))) return renderer;
  const faults = renderer.check();
  if (faults.length > 0)
    throw new UserError(`the templates in ${folder} have ${counted(faults.length, "fault")}`, faults);
  return renderer;
}
