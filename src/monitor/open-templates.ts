import { shippedFolder } from "../lib/folders.ts";
import { createRenderer, type Renderer } from "./templates/create-renderer.ts";

/** The templates of a folder over the shipped ones: a missing file is replaced by the shipped one. */
export function openTemplates(folder: string): Promise<Renderer> {
  return createRenderer({ folder, base: shippedFolder("templates") });
}
