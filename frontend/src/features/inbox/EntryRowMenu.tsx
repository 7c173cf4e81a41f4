import { t } from "@lingui/core/macro";
import { Download, EllipsisVertical, Mail, MailOpen, RotateCcw, Trash2 } from "lucide-react";
import type { EntriesChange } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { isWhole } from "./entry";

export type EntryAction = Exclude<EntriesChange, "tag" | "untag"> | "download";

/** Actions on one entry of the list. */
export function EntryRowMenu({ entry, onAction }: { entry: EntryShown; onAction: (action: EntryAction) => void }) {
  const trigger = (
    <IconButton
      label={t`Actions for ${entry.name}`}
      icon={<EllipsisVertical />}
      size="sm"
      className="md:h-6 pointer-coarse:md:h-11"
    />
  );
  if (entry.deleted_at !== null) {
    return (
      <Menu trigger={trigger}>
        <MenuItem icon={<RotateCcw aria-hidden />} onClick={() => onAction("restore")}>{t`Restore`}</MenuItem>
        <MenuSeparator />
        <MenuItem
          icon={<Trash2 aria-hidden />}
          tone="danger"
          // The name of an action, not a text.
          onClick={() => onAction("delete forever")}
        >{t`Delete forever`}</MenuItem>
      </Menu>
    );
  }
  return (
    <Menu trigger={trigger}>
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
    </Menu>
  );
}
