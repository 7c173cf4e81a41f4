import { Download, EllipsisVertical, PencilLine, ScrollText, Search, Trash2, UnfoldHorizontal } from "lucide-react";
import { useSyncExternalStore } from "react";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";
import type { LargeEditor } from "./engine/editor";

interface LargeMenuProps {
  editor: LargeEditor;
  /** Nothing can be changed. */
  readOnly: boolean;
  onFind: () => void;
  onPolicy: () => void;
  onRename: () => void;
  onDownload: () => void;
  onDelete: () => void;
}

/** What is done with the whole of a long text, and what a smaller screen has no room for elsewhere. */
export function LargeMenu(props: LargeMenuProps) {
  const { editor, readOnly, onFind, onPolicy, onRename, onDownload, onDelete } = props;
  const { fits } = useSyncExternalStore(editor.subscribe, editor.standing);
  return (
    <Menu trigger={<IconButton label="More" icon={<EllipsisVertical />} />}>
      <MenuItem icon={<Search />} onClick={onFind}>
        Find and mark
      </MenuItem>
      <MenuItem icon={<ScrollText />} onClick={onPolicy}>
        Mark by a policy
      </MenuItem>
      <MenuItem icon={<UnfoldHorizontal />} disabled={!fits || readOnly} onClick={() => editor.fit()}>
        Move edges here
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
