import { t } from "@lingui/core/macro";
import { Download, Mail, MailOpen, RotateCcw, Trash2 } from "lucide-react";
import type { EntriesChange } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { RowMenu } from "@/components/ui/RowMenu";
import { isWhole } from "./entry";

export type EntryAction = Exclude<EntriesChange, "tag" | "untag"> | "download";

/** Actions on one entry of the list. */
export function EntryRowMenu({ entry, onAction }: { entry: EntryShown; onAction: (action: EntryAction) => void }) {
  if (entry.deleted_at !== null) {
    return (
      <RowMenu name={entry.name}>
        <MenuItem icon={<RotateCcw aria-hidden />} onClick={() => onAction("restore")}>{t`Restore`}</MenuItem>
        <MenuSeparator />
        <MenuItem
          icon={<Trash2 aria-hidden />}
          tone="danger"
          // The name of an action, not a text.
          onClick={() => onAction("delete forever")}
        >{t`Delete forever`}</MenuItem>
      </RowMenu>
    );
  }
  return (
    <RowMenu name={entry.name}>
      {entry.read_at === null ? (
        <MenuItem icon={<MailOpen aria-hidden />} onClick={() => onAction("read")}>{t`Mark as read`}</MenuItem>
      ) : (
        <MenuItem icon={<Mail aria-hidden />} onClick={() => onAction("unread")}>{t`Mark as unread`}</MenuItem>
      )}
      {entry.editions.length > 0 && (
        <MenuItem icon={<Download aria-hidden />} onClick={() => onAction("download")}>
          {isWhole(entry) ? t`Download` : t`Download redacted`}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<Trash2 aria-hidden />} tone="danger" onClick={() => onAction("delete")}>{t`Delete`}</MenuItem>
    </RowMenu>
  );
}
