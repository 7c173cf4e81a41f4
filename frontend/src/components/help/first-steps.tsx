/** The first steps of each role, on empty pages and in the help. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { ChannelLegend } from "../ChannelLegend";
import type { Step } from "./Steps";

/** `start`: buttons for the first step. */
export function authorSteps(start?: ReactNode): readonly Step[] {
  return [
    {
      title: t`Write or import`,
      body: (
        <>
          <Trans>Create a new document, or import a file by dropping it on the list of documents.</Trans>
          {start && <div className="mt-3 flex flex-wrap gap-2">{start}</div>}
        </>
      ),
    },
    {
      title: t`Mark`,
      body: (
        <Trans>
          Select the text that must stay secret and mark it as classified, <mark className="classified">like this</mark>
          . Everything else is plain. You can preview what an eavesdropper would see.
        </Trans>
      ),
    },
    {
      title: t`Send`,
      body: (
        <>
          <Trans>
            Choose recipients. Classified and plain content travel separately and are put back together on arrival. A
            small document is often faster over the secure channel alone. To see both channels at work, press Use both
            channels.
          </Trans>
          <ChannelLegend className="mt-3 flex-col" />
        </>
      ),
    },
  ];
}

export const RECIPIENT_STEPS: readonly Step[] = [
  {
    title: t`Open the inbox`,
    body: t`Documents that people sent you are in your inbox, the latest first. The number beside Inbox counts the unread ones.`,
  },
  {
    title: t({ context: "step", message: "Read" }),
    body: t`If you are cleared, the classified parts are highlighted. If not, bars show where something is withheld.`,
  },
  {
    title: t`Check and keep`,
    body: t`Below the document you can check that it arrived exactly as it was sent, and download it.`,
  },
];

export const ADMIN_STEPS: readonly Step[] = [
  {
    title: t`Add people`,
    body: t`Under People, give each person the roles that they need, and decide who is cleared. They set their own passwords.`,
  },
  {
    title: t`Pair another gateway`,
    body: t`Under Peers, exchange invitations with the other gateway’s admin, and read your codes to each other by phone.`,
  },
  {
    title: t`Help authors mark`,
    body: t`Under Policies, write what must be marked, or start from an example. Authors then find it with one press.`,
  },
];
