import { t } from "@lingui/core/macro";
import { Monitor, Moon, Sun } from "lucide-react";
import { type Theme, useTheme } from "./theme";
import { SegmentedControl } from "./ui/SegmentedControl";

/** The choices of themes. */
export const THEMES = [
  { value: "system", label: t`Use system setting`, icon: <Monitor aria-hidden />, iconOnly: true },
  { value: "light", label: t`Light`, icon: <Sun aria-hidden />, iconOnly: true },
  { value: "dark", label: t`Dark`, icon: <Moon aria-hidden />, iconOnly: true },
] as const;

/** System, light or dark. */
export function ThemeSwitch({ className = "" }: { className?: string }) {
  const [theme, choose] = useTheme();
  return (
    <SegmentedControl<Theme>
      label={t`Theme`}
      value={theme}
      onValueChange={choose}
      segments={THEMES}
      className={className}
    />
  );
}
