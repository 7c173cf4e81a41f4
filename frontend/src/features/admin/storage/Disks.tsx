import { t } from "@lingui/core/macro";
import { TriangleAlert } from "lucide-react";
import type { DiskShown } from "@/api/storage";
import { cx } from "@/lib/cx";
import { sizeText } from "@/lib/sizes";

/** The disks with the gateway's data, and what happens when one of them is nearly full. */
export function Disks({ disks }: { disks: readonly DiskShown[] }) {
  return (
    <>
      <ul className="flex flex-col gap-4">
        {disks.map((disk) => (
          <Disk key={disk.holds.join()} disk={disk} />
        ))}
      </ul>
      <p className="max-w-prose text-quiet text-sm">
        {t`When a disk is full, the gateway refuses documents that do not fit: authors see why, and peers try again every minute until there is space. Stored documents stay readable.`}
      </p>
    </>
  );
}

function Disk({ disk: { holds, total_bytes, free_bytes, is_low } }: { disk: DiskShown }) {
  const free = sizeText(free_bytes);
  const total = sizeText(total_bytes);
  const used = total_bytes === 0 ? 0 : 1 - free_bytes / total_bytes;
  return (
    <li className="flex max-w-xl flex-col gap-2 rounded-lg bg-paper p-4 text-sm shadow-sheet">
      <span className="flex flex-wrap justify-between gap-x-4">
        <span className="font-medium">{holdsText(holds)}</span>
        <span>{t`${free} free of ${total}`}</span>
      </span>
      <span aria-hidden className="h-2 overflow-hidden rounded-sm bg-ink/8">
        <span
          className={cx("block h-full", is_low ? "bg-danger" : "bg-ink/60")}
          style={{ width: `${Math.min(100, used * 100)}%` }}
        />
      </span>
      {is_low && (
        <span className="flex gap-2 text-danger">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {t`Little space is left. Delete files that are not needed, or move the data to a larger disk.`}
        </span>
      )}
    </li>
  );
}

function holdsText(holds: DiskShown["holds"]): string {
  const [what] = holds.filter((each) => each !== "database");
  if (what === undefined) return t`Disk of the database`;
  const isShared = holds.length > 1;
  if (what === "spool") return isShared ? t`Disk of the database and the spool` : t`Disk of the spool`;
  return isShared ? t`Disk of the database and the documents` : t`Disk of the documents`;
}
