import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { FileDown } from "lucide-react";
import type { NewPersonLink } from "@/api/people";
import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { Dialog } from "@/components/ui/Dialog";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { csvFile } from "@/lib/csv";
import { saveBlob } from "@/lib/save-blob";

/** Shows the links of new people once, each to be sent to its person. */
export function NewLinksDialog({ links, onClose }: { links: readonly NewPersonLink[]; onClose: () => void }) {
  const [first] = links;
  const save = () =>
    saveBlob(
      csvFile([
        ["login", "name", "link", "expires"],
        ...links.map((link) => [link.name, link.display_name, addressOf(link), link.expires_at]),
      ]),
      "one-time-links.csv",
    );
  return (
    <Dialog
      open
      insistent
      width="lg"
      onOpenChange={onClose}
      title={t`Links for the new people`}
      description={t`They are shown only now. Save them, or copy each one.`}
      footer={
        <>
          <Button icon={<FileDown aria-hidden />} onClick={save}>
            <Trans>Save as CSV</Trans>
          </Button>
          <Button tone="primary" onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <DataTable caption={t`One-time links`} columns={COLUMNS} rows={links} rowId={({ name }) => name} />
        {first && (
          <p className="text-quiet text-sm">
            <Trans>
              Send each link to its person in a way you trust. The first person to open it sets the password. It works
              once and expires <RelativeTime at={first.expires_at} />.
            </Trans>
          </p>
        )}
      </div>
    </Dialog>
  );
}

function addressOf({ url }: NewPersonLink): string {
  return new URL(url, globalThis.location.origin).href;
}

const COLUMNS: readonly Column<NewPersonLink>[] = [
  {
    id: "name",
    header: t`Name`,
    names: true,
    cell: ({ name, display_name }) => (
      <>
        <span className="wrap-anywhere">{display_name}</span>
        <span className="block wrap-anywhere font-normal text-quiet">{name}</span>
      </>
    ),
  },
  {
    id: "link",
    header: t`Link`,
    cell: (link) => (
      <span className="flex items-center gap-2">
        <span className="min-w-0 select-all wrap-anywhere font-mono text-xs">{addressOf(link)}</span>
        <CopyButton text={addressOf(link)} what={t`link for ${{ name: link.display_name }}`} />
      </span>
    ),
  },
];
