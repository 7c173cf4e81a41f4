/** The first steps of each role, on empty pages and in the help. */
import type { ReactNode } from "react";
import { ChannelLegend } from "../ChannelLegend";
import type { Step } from "./Steps";

/** `start`: buttons for the first step. */
export function authorSteps(start?: ReactNode): readonly Step[] {
  return [
    {
      title: "Write or import",
      body: (
        <>
          Create a new document, or import a file by dropping it on the list of documents.
          {start && <div className="mt-3 flex flex-wrap gap-2">{start}</div>}
        </>
      ),
    },
    {
      title: "Mark",
      body: (
        <>
          Select the text that must stay secret and mark it as classified, <mark className="classified">like this</mark>
          . Everything else is plain. You can preview what an eavesdropper would see.
        </>
      ),
    },
    {
      title: "Send",
      body: (
        <>
          Choose recipients. Classified and plain content travel separately and are put back together on arrival. A
          small document is often faster over the secure channel alone. To see both channels at work, press Use both
          channels.
          <ChannelLegend className="mt-3 flex-col" />
        </>
      ),
    },
  ];
}

export const RECIPIENT_STEPS: readonly Step[] = [
  {
    title: "Open the inbox",
    body: "Documents that people sent you are in your inbox, the latest first. The number beside Inbox counts the unread ones.",
  },
  {
    title: "Read",
    body: "If you are cleared, the classified parts are highlighted. If not, bars show where something is withheld.",
  },
  {
    title: "Check and keep",
    body: "Below the document you can check that it arrived exactly as it was sent, and download it.",
  },
];

export const ADMIN_STEPS: readonly Step[] = [
  {
    title: "Add people",
    body: "Under People, give each person the roles that they need, and decide who is cleared. They set their own passwords.",
  },
  {
    title: "Pair another gateway",
    body: "Under Peers, exchange invitations with the other gateway’s admin, and compare the code by phone.",
  },
  {
    title: "Help authors mark",
    body: "Under Policies, write what must be marked, or start from an example. Authors then find it with one press.",
  },
];
