import { t } from "@lingui/core/macro";
import { Download, Mail, MailOpen, RotateCcw, Tags, Trash2 } from "lucide-react";
import type { ComponentProps } from "react";
import { type BarAction, ListSelectionBar } from "@/components/ListSelectionBar";
import { TagMenu } from "@/components/tags/TagMenu";
import type { EntryAction } from "./EntryRowMenu";

interface EntrySelectionBarProps extends Omit<ComponentProps<typeof ListSelectionBar>, "actions"> {
  deleted: boolean;
  /** The reader's tags, and those of each selected entry that is loaded. */
  tags: readonly { readonly name: string }[];
  tagsOfSelected: readonly (readonly string[])[];
  onTag: (tag: string) => void;
  onUntag: (tag: string) => void;
  onNewTag: () => void;
  onAction: (action: EntryAction) => void;
}

/** A bar above the inbox: the number of selected entries, and actions on them. */
export function EntrySelectionBar(props: EntrySelectionBarProps) {
  const { deleted, tags, tagsOfSelected, onTag, onUntag, onNewTag, onAction, ...bar } = props;
  const actions: readonly BarAction[] = deleted
    ? [
        { label: t`Restore`, icon: <RotateCcw aria-hidden />, onClick: () => onAction("restore") },
        {
          label: t`Delete forever`,
          icon: <Trash2 aria-hidden />,
          tone: "danger",
          // The name of an action, not a text.
          onClick: () => onAction("delete forever"),
        },
      ]
    : [
        { label: t`Mark as read`, icon: <MailOpen aria-hidden />, onClick: () => onAction("read") },
        { label: t`Mark as unread`, icon: <Mail aria-hidden />, onClick: () => onAction("unread") },
        {
          label: t`Tags`,
          icon: <Tags aria-hidden />,
          wrap: (button) => (
            <TagMenu
              key="tags"
              trigger={button}
              tags={tags}
              selected={tagsOfSelected}
              onTag={onTag}
              onUntag={onUntag}
              onNew={onNewTag}
            />
          ),
        },
        { label: t`Download`, icon: <Download aria-hidden />, onClick: () => onAction("download") },
        { label: t`Delete`, icon: <Trash2 aria-hidden />, tone: "danger", onClick: () => onAction("delete") },
      ];
  return <ListSelectionBar {...bar} actions={actions} />;
}
