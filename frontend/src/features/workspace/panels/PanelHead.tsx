import { X } from "lucide-react";
import { IconButton } from "@/components/ui/IconButton";

/** The heading of a panel and the button that closes it. `close`: the button's name. */
export function PanelHead({ title, close, onClose }: { title: string; close: string; onClose: () => void }) {
  return (
    <div className="flex items-center justify-between">
      <h2 className="font-medium text-sm">{title}</h2>
      <IconButton label={close} icon={<X />} size="sm" onClick={onClose} />
    </div>
  );
}
