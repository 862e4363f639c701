import { shippedFolder } from "../lib/folders.ts";
import { createRenderer, type Renderer } from "../templates/create-renderer.ts";

/** The templates of a folder over the shipped ones: a missing file is replaced by the shipped one. */
export function openTemplates(notifyConfig: string): Promise<Renderer> {
  return createRenderer({ notifyConfig, base: shippedFolder("templates") });
}
