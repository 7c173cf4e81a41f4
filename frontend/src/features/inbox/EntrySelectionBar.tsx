import { Download, Mail, MailOpen, RotateCcw, Trash2 } from "lucide-react";
import type { ComponentProps } from "react";
import { type BarAction, ListSelectionBar } from "@/components/ListSelectionBar";
import type { EntryAction } from "./EntryRowMenu";

interface EntrySelectionBarProps extends Omit<ComponentProps<typeof ListSelectionBar>, "actions"> {
  deleted: boolean;
  onAction: (action: EntryAction) => void;
}

/** A bar above the inbox: the number of selected entries, and actions on them. */
export function EntrySelectionBar({ deleted, onAction, ...bar }: EntrySelectionBarProps) {
  const actions: readonly BarAction[] = deleted
    ? [
        { label: "Restore", icon: <RotateCcw aria-hidden />, onClick: () => onAction("restore") },
        {
          label: "Delete forever",
          icon: <Trash2 aria-hidden />,
          tone: "danger",
          onClick: () => onAction("delete forever"),
        },
      ]
    : [
        { label: "Mark as read", icon: <MailOpen aria-hidden />, onClick: () => onAction("read") },
        { label: "Mark as unread", icon: <Mail aria-hidden />, onClick: () => onAction("unread") },
        { label: "Download", icon: <Download aria-hidden />, onClick: () => onAction("download") },
        { label: "Delete", icon: <Trash2 aria-hidden />, tone: "danger", onClick: () => onAction("delete") },
      ];
  return <ListSelectionBar {...bar} actions={actions} />;
}
