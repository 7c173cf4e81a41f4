import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { EllipsisVertical, History, Keyboard, PencilLine, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "@/components/ui/Menu";

interface DocumentMenuProps {
  id: string;
  /** Items on what is in the document, and on copies of it. */
  edits: ReactNode;
  downloads: ReactNode;
  onRename: () => void;
  onHelp: () => void;
  onDelete: () => void;
}

/** Actions on the whole document, and those that a small screen has no room for elsewhere. */
export function DocumentMenu({ id, edits, downloads, onRename, onHelp, onDelete }: DocumentMenuProps) {
  return (
    <Menu trigger={<IconButton label={t`More`} icon={<EllipsisVertical />} />}>
      {edits}
      <MenuItem icon={<PencilLine />} onClick={onRename}>
        {t`Rename`}
      </MenuItem>
      {downloads}
      <MenuLink icon={<History aria-hidden />} render={<Link to="/documents/$id/versions" params={{ id }} />}>
        {t`Versions`}
      </MenuLink>
      <MenuItem icon={<Keyboard />} onClick={onHelp}>
        {t`Keyboard shortcuts`}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} tone="danger" onClick={onDelete}>
        {t`Delete`}
      </MenuItem>
    </Menu>
  );
}
