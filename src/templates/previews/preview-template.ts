import type { Renderer } from "../create-renderer.ts";
import { sampleViews } from "../sample-views.ts";
import type { TemplateName } from "../template-names.ts";
import type { PreviewContent } from "./preview-content.ts";
import type { PreviewFile } from "./preview-files.ts";

/** Renders one template with the content of a message: `email-alert-fired.txt`, or `.html` for that format. */
export function previewTemplate(
  name: TemplateName,
  { view }: PreviewContent,
  of: string,
  renderer: Renderer,
): PreviewFile {
  const [stem = name, format = "txt"] = name.replace("/", "-").split(".");
  return {
    name: `${stem}-${of}.${format === "html" ? "html" : "txt"}`,
    content: renderer.render(name, viewFor(name, view)),
  };
}

/** A template of one mention takes the first of the message. */
function viewFor(name: TemplateName, view: PreviewContent["view"]): object {
  if (!name.startsWith("slack/alert-mention")) return view;
  const [first] = "mentions" in view ? view.mentions : [];
  return first ?? sampleViews(name)[0] ?? {};
}
