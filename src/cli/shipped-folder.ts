export { shippedFolder } from "../lib/shipped-folder.ts";
