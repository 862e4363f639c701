import { shippedFolder } from "../lib/shipped-folder.ts";
import { createRenderer, type Renderer } from "../templates/create-renderer.ts";

/** The templates of a folder over the shipped ones: a file that is not in it is as it came with Earshot. */
export function openTemplates(notifyConfig: string): Promise<Renderer> {
  return createRenderer({ notifyConfig, base: shippedFolder("templates") });
}
