import type { ShownDigest } from "../../model/digest.ts";
import type { createConsoleStore } from "../../store/console.ts";
import type { Renderer } from "../../templates/create-renderer.ts";
import { storedDigest } from "../../templates/digest-view.ts";
import { type Sample, samples } from "../../templates/samples.ts";
import { TEMPLATE_NAMES } from "../../templates/template-names.ts";
import { previewMessage } from "../preview-message.ts";
import { createAlertExplainer } from "../view/alert-chart.ts";
import { createViewOf, type ViewParts } from "../view/view-of.ts";
import { type PreviewContent, previewTemplate } from "./preview-template.ts";
import {
  contentOfSample,
  findSample,
  type ShownPreview,
  showMessage,
  withPicture,
} from "./sample-message.ts";

export interface Previews {
  /** The names of the samples, by subject. */
  readonly samples: readonly { readonly about: Sample["about"]; readonly name: string }[];
  /** The sample of that name, or the usual one where it is null; null when there is none of that name. */
  ofSample(about: Sample["about"], name: string | null): ShownPreview | null;
  /** An alert as it would be sent now; null if it is no longer stored. */
  ofAlert(id: string): Promise<ShownPreview | null>;
  /** Digests of the configuration, as of now. */
  digests(): readonly ShownDigest[];
  /** An edition as its readers got it, without their links; null if none of this name and date was made. */
  ofEdition(name: string, localDate: string): Promise<ShownPreview | null>;
  /** Names of all templates. */
  readonly templates: readonly string[];
  /** One template with a sample or an alert; null if the template, sample or alert does not exist. */
  ofTemplate(
    name: string,
    over: { readonly sample: string | null; readonly alert: string | null },
  ): Promise<TemplatePreview | null>;
}

export interface TemplatePreview {
  readonly text: string;
  /** Whether it is a part of a mail, to be shown in a frame. */
  readonly isHtml: boolean;
}

/** Creates previews of messages. `contentOf` reads an alert, `editionOf` what an edition of a digest says. */
export function createPreviews(parts: {
  readonly renderer: Renderer;
  readonly digests: () => readonly ShownDigest[];
  readonly editionOf: (name: string, localDate: string) => Promise<unknown>;
  readonly contentOf: (alertId: string) => Promise<PreviewContent | null>;
}): Previews {
  return {
    samples: samples.map(({ about, name }) => ({ about, name })),
    ofSample: (about, name) => {
      const sample = findSample(about, name);
      return sample === null ? null : showPreview(contentOfSample(sample), parts.renderer);
    },
    ofAlert: async (id) => {
      const content = await parts.contentOf(id);
      return content === null ? null : showPreview(content, parts.renderer);
    },
    digests: parts.digests,
    ofEdition: async (name, localDate) => {
      const body = await parts.editionOf(name, localDate);
      if (body === null) return null;
      return showPreview(
        { kind: "digest", view: { ...storedDigest(body), unsubscribeUrl: null } },
        parts.renderer,
      );
    },
    templates: TEMPLATE_NAMES,
    ofTemplate: async (wanted, { sample, alert }) => {
      const name = TEMPLATE_NAMES.find((one) => one === wanted);
      if (name === undefined) return null;
      const content = alert === null ? sampleOf(aboutOf(name), sample) : await parts.contentOf(alert);
      // A digest's template cannot show an alert.
      if (content === null || (content.kind === "digest") !== (aboutOf(name) === "digest")) return null;
      const { name: file, content: text } = previewTemplate(name, content, "", parts.renderer);
      const isHtml = file.endsWith(".html");
      return { text: isHtml ? withPicture(text.toString(), content) : text.toString(), isHtml };
    },
  };
}

/** The subject of a template, from its name. */
export function aboutOf(name: string): Sample["about"] {
  return name.split("/")[1]?.startsWith("digest") === true ? "digest" : "alert";
}

function sampleOf(about: Sample["about"], name: string | null): PreviewContent | null {
  const sample = findSample(about, name);
  return sample === null ? null : contentOfSample(sample);
}

/** The message, and its mail with the picture embedded. */
export function showPreview(
  { picture = null, ...content }: PreviewContent,
  renderer: Renderer,
): ShownPreview {
  return showMessage(previewMessage(content, renderer), picture);
}

interface AlertContentParts extends ViewParts {
  readonly facts: Pick<ReturnType<typeof createConsoleStore>, "alert" | "alertExplanation">;
}

/** Reads an alert and builds the content of its message as of now; null if the alert is not stored. */
export function createContentOfAlert(
  parts: AlertContentParts,
): (alertId: string) => Promise<PreviewContent | null> {
  const viewOf = createViewOf(parts);
  return async (alertId) => {
    if (!GUID.test(alertId)) return null;
    const alert = await parts.facts.alert(alertId);
    if (alert === null) return null;
    const kind = alert.resolvedAt === null ? "fired" : "resolved";
    // A notification that is never sent: it only says what the view is for.
    const found = await viewOf({
      id: alert.id,
      projectId: alert.projectId,
      receiver: "",
      kind,
      alertId: alert.id,
      digest: null,
      createdAt: alert.lastSeenAt,
      state: "due",
      reason: "Preview",
      attempts: 0,
      attemptsBefore: 0,
      lastError: null,
      vendorRef: null,
    });
    if (found?.about !== "alert") return null;
    const explanation = await parts.facts.alertExplanation(alert.projectId, alert.id);
    const { chart } = createAlertExplainer(parts.timezone);
    const [light, dark] = [chart(alert, explanation, "light"), chart(alert, explanation, "dark")];
    const picture = light === null || dark === null ? null : { light, dark };
    const hasChart = picture !== null;
    return { kind, view: { ...found.view, hasChart }, picture };
  };
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
