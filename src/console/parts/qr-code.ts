import { encode } from "uqr";
import { type Html, html } from "../common/html.ts";

/** Light modules around the code: without them an app does not find it. */
const BORDER = 4;

/** A QR code as SVG, dark on light in both schemes, because apps read no other. One module is one unit. */
export function qrCode(text: string, title: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return html`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${title}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
