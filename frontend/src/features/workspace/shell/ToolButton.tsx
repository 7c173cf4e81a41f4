import { Toolbar } from "@base-ui/react/toolbar";
import type { ReactNode } from "react";
import { Tooltip } from "@/components/ui/Tooltip";
import { cx } from "@/lib/cx";
import { ariaKeys, keyText } from "./shortcuts";

interface ToolButtonProps {
  /** Its name; `tip` says more, or what it would do now. */
  label: string;
  tip?: string;
  shortcut?: string;
  icon: ReactNode;
  /** Shown beside the icon; part of the name. */
  word?: string;
  pressed?: boolean;
  disabled?: boolean;
  tone?: "plain" | "secure" | "open";
  onClick: () => void;
  className?: string;
}

const PRESSED = {
  plain: "aria-pressed:border-edge/60 aria-pressed:bg-ink/8 aria-pressed:text-ink",
  secure: "aria-pressed:border-secure-edge aria-pressed:bg-secure-ground aria-pressed:text-secure",
  open: "aria-pressed:border-plain-edge aria-pressed:border-dashed aria-pressed:bg-plain-ground aria-pressed:text-plain",
} as const;

/** A button of the toolbar. Pressing it with the mouse leaves the cursor, and a phone's keyboard, in the text. */
export function ToolButton(props: ToolButtonProps) {
  const { label, tip = label, shortcut, icon, word, pressed, disabled = false, tone = "plain" } = props;
  return (
    <Tooltip text={shortcut ? `${tip} (${keyText(shortcut)})` : tip}>
      <Toolbar.Button
        aria-label={word === label ? undefined : label}
        aria-pressed={pressed}
        aria-keyshortcuts={shortcut && ariaKeys(shortcut)}
        disabled={disabled}
        onMouseDown={(event) => event.preventDefault()}
        onClick={props.onClick}
        className={cx(
          "inline-flex h-10 pointer-coarse:h-11 shrink-0 select-none items-center justify-center gap-2 rounded-md border border-transparent font-medium text-ink text-sm transition-colors duration-100",
          "not-aria-pressed:hover:not-data-disabled:bg-ink/8 data-disabled:cursor-not-allowed data-disabled:opacity-40 [&_svg]:size-[1.125rem] [&_svg]:shrink-0",
          word
            ? "px-3 max-sm:min-w-12 max-sm:flex-col max-sm:gap-0.5 max-sm:px-1 max-sm:text-xs"
            : "w-10 short:w-8 pointer-coarse:w-11 max-sm:min-w-8 max-sm:shrink",
          PRESSED[tone],
          props.className,
        )}
      >
        {icon}
        {word}
      </Toolbar.Button>
    </Tooltip>
  );
}
