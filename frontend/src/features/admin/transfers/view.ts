import { t } from "@lingui/core/macro";

/** Which list of documents an admin looks at. */
export type View = "sent" | "received";

export const VIEWS: readonly { value: View; label: string }[] = [
  { value: "sent", label: t({ context: "list", message: "Sent" }) },
  { value: "received", label: t({ context: "list", message: "Received" }) },
];

export const asView = (text: string | undefined): View => (text === "received" ? "received" : "sent");
