import { Toolbar } from "@base-ui/react/toolbar";
import { t } from "@lingui/core/macro";
import { Tag } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { LabelSetShown } from "@/api/labels";
import { announce } from "@/components/announce";
import { Menu, MenuItem } from "@/components/ui/Menu";
import { ariaKeys, isPressed, KEYS, keyText } from "../shell/shortcuts";
import { Swatch } from "./Swatch";

interface LabelMenuProps {
  set: LabelSetShown;
  small: boolean;
  /** There is no span here to label: as last drawn, and at this moment. */
  none: boolean;
  isNone: () => boolean;
  /** Why nothing can be labelled now; null if something can. */
  off?: string | null;
  /** Null: the default. */
  onChoose: (label: string | null) => void;
  /** What has the focus while somebody types. */
  text: () => HTMLElement;
}

/** The menu of labels, opened from the toolbar or by its key. */
export function LabelMenu({ set, small, none, isNone, off = null, onChoose, text }: LabelMenuProps) {
  const [open, setOpen] = useState(false);
  const byKey = useRef(false);
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !isPressed("label", event)) return;
    event.preventDefault();
    if (off !== null) return announce(off);
    if (isNone()) return announce(t`There is no classified span here to label.`);
    byKey.current = true;
    setOpen(true);
  });
  useEffect(() => {
    const heard = (event: KeyboardEvent) => pressed(event);
    document.addEventListener("keydown", heard);
    return () => document.removeEventListener("keydown", heard);
  }, []);
  return (
    <Menu
      align="start"
      side={small ? "top" : "bottom"}
      open={open}
      onOpenChange={(next) => {
        if (next) byKey.current = false;
        setOpen(next);
      }}
      // A person who opened it by key continues in the text.
      finalFocus={() => (byKey.current ? text() : true)}
      trigger={
        <Toolbar.Button
          aria-label={t`Label`}
          aria-keyshortcuts={ariaKeys(KEYS.label)}
          title={off ?? t`Label the span at the cursor (${{ key: keyText(KEYS.label) }})`}
          disabled={none || off !== null}
          className="inline-flex h-10 pointer-coarse:h-11 w-10 pointer-coarse:w-11 shrink-0 items-center justify-center rounded-md border border-transparent text-ink data-disabled:cursor-not-allowed data-disabled:opacity-40 not-data-disabled:hover:bg-ink/8 [&_svg]:size-[1.125rem]"
        >
          <Tag aria-hidden />
        </Toolbar.Button>
      }
    >
      {set.labels.map(({ name, colour }) => (
        <MenuItem key={name} icon={<Swatch colour={colour} />} onClick={() => onChoose(name)}>
          {name}
        </MenuItem>
      ))}
      <MenuItem icon={<Swatch colour={null} />} onClick={() => onChoose(null)}>
        {t`Default: ${{ label: set.default ?? "" }}`}
      </MenuItem>
    </Menu>
  );
}
