import { Download, EllipsisVertical, PencilLine, ScrollText, Search, Trash2 } from "lucide-react";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";

interface LargeMenuProps {
  onFind: () => void;
  onPolicy: () => void;
  onRename: () => void;
  onDownload: () => void;
  onDelete: () => void;
}

/** What is done with the whole of a long text. */
export function LargeMenu({ onFind, onPolicy, onRename, onDownload, onDelete }: LargeMenuProps) {
  return (
    <Menu trigger={<IconButton label="More" icon={<EllipsisVertical />} />}>
      <MenuItem icon={<Search />} onClick={onFind}>
        Find and mark
      </MenuItem>
      <MenuItem icon={<ScrollText />} onClick={onPolicy}>
        Mark by a policy
      </MenuItem>
      <MenuItem icon={<PencilLine />} onClick={onRename}>
        Rename
      </MenuItem>
      <MenuItem icon={<Download />} onClick={onDownload}>
        Download with its marks
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} tone="danger" onClick={onDelete}>
        Delete
      </MenuItem>
    </Menu>
  );
}
