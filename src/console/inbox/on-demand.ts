/** A Slack and a mailbox on this machine: whoever has receivers does not wait for a mail server to be read. */
export const loadLocalInbox = () => import("./create-local-inbox.ts");
