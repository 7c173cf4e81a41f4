import { Link } from "@tanstack/react-router";
import { Download, EllipsisVertical, PencilLine, Send, Trash2 } from "lucide-react";
import type { DraftShown } from "@/api/types";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "@/components/ui/Menu";
import { shortened } from "./document-name";
import { hasTags } from "./download";

export type Deed = "rename" | "download" | "delete";

/** What can be done with a document without opening it. */
export function DocumentMenu({ draft, onDeed }: { draft: DraftShown; onDeed: (deed: Deed) => void }) {
  const last = draft.last_transfer;
  return (
    <Menu trigger={<IconButton label={`Actions for ${shortened(draft.name)}`} icon={<EllipsisVertical />} />}>
      {last && (
        <MenuLink icon={<Send />} render={<Link to="/sent/$id" params={{ id: last.id }} />}>
          Show the latest sending
        </MenuLink>
      )}
      <MenuItem icon={<PencilLine />} onClick={() => onDeed("rename")}>
        Rename
      </MenuItem>
      <MenuItem icon={<Download />} onClick={() => onDeed("download")}>
        {hasTags(draft) ? "Download as marked text" : "Download"}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} tone="danger" onClick={() => onDeed("delete")}>
        Delete
      </MenuItem>
    </Menu>
  );
}
