import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Inbox, Trash2 } from "lucide-react";
import { entryCountsQuery } from "@/api/inbox";
import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { useSession } from "@/session/session";

/** An empty inbox: what senders need to know, and how documents will look. */
export function EmptyInbox({ onShowDeleted }: { onShowDeleted: () => void }) {
  const deleted = useQuery(entryCountsQuery({ deleted: true })).data?.entries ?? 0;
  const { gateway, person } = useSession();
  return (
    <section aria-labelledby="empty-inbox" className="sheet max-w-3xl">
      <Inbox aria-hidden className="size-8 stroke-[1.25] text-quiet" />
      <h2 id="empty-inbox" className="mt-3 font-serif text-xl">
        {deleted > 0 ? t`Your inbox is empty` : t`No documents yet`}
      </h2>
      {deleted > 0 && (
        <Button
          className="mt-3"
          icon={<Trash2 />}
          onClick={onShowDeleted}
        >{t`Show ${plural(deleted, { one: "# deleted document", other: "# deleted documents" })}`}</Button>
      )}
      <p className="mt-2 max-w-prose text-quiet">{t`Documents sent to you appear here automatically. Tell senders the name of this gateway and your login:`}</p>
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4">
        <dt className="text-quiet text-sm">{t`Gateway`}</dt>
        <dd className="wrap-anywhere flex items-center gap-1 font-medium">
          {gateway} <CopyButton text={gateway} what={t`gateway’s name`} />
        </dd>
        <dt className="text-quiet text-sm">{t`Login`}</dt>
        <dd className="wrap-anywhere flex items-center gap-1 font-medium">
          {person.name} <CopyButton text={person.name} what={t`login`} />
        </dd>
      </dl>
      <p className="mt-4 max-w-prose text-quiet">
        {person.cleared ? (
          <Trans>
            You are cleared. You can read whole documents, and <mark className="classified">classified text</mark> is
            marked.
          </Trans>
        ) : (
          <Trans>
            You are not cleared. A bar <span role="img" aria-label={t`withheld`} className="withheld" /> replaces
            withheld text.
          </Trans>
        )}
      </p>
    </section>
  );
}
