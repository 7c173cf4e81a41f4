import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Copy, Download, FileText, PencilLine, Send, Trash2 } from "lucide-react";
import { hasTags } from "@/api/draft-download";
import type { DraftShown } from "@/api/types";
import { MenuItem, MenuLink, MenuSeparator } from "@/components/ui/Menu";
import { RowMenu } from "@/components/ui/RowMenu";
import { shortName } from "@/lib/document-name";

export type DocumentAction = "rename" | "copy" | "template" | "not template" | "download" | "delete";

/** Actions on a document in the list. */
export function DocumentRowMenu({
  draft,
  onAction,
}: {
  draft: DraftShown;
  onAction: (action: DocumentAction) => void;
}) {
  const last = draft.last_transfer;
  return (
    <RowMenu name={shortName(draft.name)}>
      {last && (
        <MenuLink icon={<Send />} render={<Link to="/sent/$id" params={{ id: last.id }} />}>
          <Trans>Show latest transfer</Trans>
        </MenuLink>
      )}
      <MenuItem icon={<PencilLine />} onClick={() => onAction("rename")}>
        <Trans>Rename</Trans>
      </MenuItem>
      <MenuItem icon={<Copy />} onClick={() => onAction("copy")}>
        <Trans>Duplicate</Trans>
      </MenuItem>
      <MenuItem
        icon={<FileText />}
        // not a text
        onClick={() => onAction(draft.is_template ? "not template" : "template")}
      >
        {draft.is_template ? t`Stop using as template` : t`Use as template`}
      </MenuItem>
      <MenuItem icon={<Download />} onClick={() => onAction("download")}>
        {hasTags(draft) ? t`Download as marked text` : t`Download`}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} tone="danger" onClick={() => onAction("delete")}>
        <Trans>Delete</Trans>
      </MenuItem>
    </RowMenu>
  );
}
