import { Download, EllipsisVertical, FileText, Keyboard, PencilLine, ScrollText, Search, Trash2 } from "lucide-react";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";

export type DocumentDeed = "find" | "policy" | "rename" | "marked" | "literal" | "keys" | "delete";

/** What is done with the whole document. */
export function DocumentMenu({ onDeed }: { onDeed: (deed: DocumentDeed) => void }) {
  return (
    <Menu trigger={<IconButton label="More" icon={<EllipsisVertical />} />}>
      <MenuItem icon={<Search />} onClick={() => onDeed("find")}>
        Find and mark
      </MenuItem>
      <MenuItem icon={<ScrollText />} onClick={() => onDeed("policy")}>
        Mark by a policy
      </MenuItem>
      <MenuItem icon={<PencilLine />} onClick={() => onDeed("rename")}>
        Rename
      </MenuItem>
      <MenuItem icon={<Download />} onClick={() => onDeed("marked")}>
        Download with its marks
      </MenuItem>
      <MenuItem icon={<FileText />} onClick={() => onDeed("literal")}>
        Download the text alone
      </MenuItem>
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
