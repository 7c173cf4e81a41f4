import { Download, EllipsisVertical, FileDown, Keyboard, PencilLine, ScrollText, Trash2 } from "lucide-react";
import type { FileDraft } from "@/api/files";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { toastError } from "@/components/ui/toasts";
import { downloadDraft } from "../documents/download";

export type FileDeed = "rename" | "policy" | "redacted" | "keys" | "delete";

/** What is done with the whole file. */
export function FileMenu({ draft, onDeed }: { draft: FileDraft; onDeed: (deed: FileDeed) => void }) {
  return (
    <Menu trigger={<IconButton label="More" icon={<EllipsisVertical />} />}>
      <MenuItem icon={<PencilLine />} onClick={() => onDeed("rename")}>
        Rename
      </MenuItem>
      {draft.format !== "bytes" && (
        <MenuItem icon={<ScrollText />} onClick={() => onDeed("policy")}>
          Mark by a policy
        </MenuItem>
      )}
      <MenuItem
        icon={<Download />}
        onClick={() => void downloadDraft(draft).catch((error) => toastError("It was not downloaded.", error))}
      >
        Download the file
      </MenuItem>
      {draft.format !== "bytes" && (
        <MenuItem icon={<FileDown />} onClick={() => onDeed("redacted")}>
          Redacted edition
        </MenuItem>
      )}
      <MenuItem icon={<Keyboard />} onClick={() => onDeed("keys")}>
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} tone="danger" onClick={() => onDeed("delete")}>
        Delete
      </MenuItem>
    </Menu>
  );
}
