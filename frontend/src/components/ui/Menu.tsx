import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { cx } from "@/lib/cx";

export const POPUP =
  "min-w-[max(10rem,var(--anchor-width))] max-w-[min(24rem,var(--available-width))] origin-(--transform-origin) rounded-md bg-raised py-1 text-ink text-sm shadow-float outline-none " +
  "transition-[scale,opacity] duration-100 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0";
export const OPTION =
  "flex min-h-9 pointer-coarse:min-h-11 w-full cursor-default select-none items-center gap-2 px-3 py-1.5 text-left no-underline outline-none data-disabled:opacity-50 data-highlighted:bg-ink/8 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-quiet";

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement;
  align?: "start" | "center" | "end";
  side?: "top" | "bottom";
  /** Only for a menu that also opens with a key; needs `onOpenChange`. */
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The element that gets the focus when the menu closes. By default, and for `true`, the button. */
  finalFocus?: () => HTMLElement | true;
  children: ReactNode;
}

/** A menu under a button. Fill it with `MenuItem`, `MenuLink`, `MenuCheckbox`, `MenuSeparator`, `MenuNote`. */
export function Menu({ trigger, align = "end", side = "bottom", finalFocus, children, ...controlled }: MenuProps) {
  return (
    <Base.Root {...controlled}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner positionMethod="fixed" align={align} side={side} sideOffset={6} className="z-50 outline-none">
          <Base.Popup className={POPUP} {...(finalFocus && { finalFocus })}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MenuItemProps {
  icon?: ReactNode;
  tone?: "plain" | "danger";
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

/** One action of a menu. */
export function MenuItem({ icon, tone = "plain", disabled = false, onClick, children }: MenuItemProps) {
  return (
    <Base.Item
      className={cx(OPTION, tone === "danger" && "text-danger [&_svg]:text-danger")}
      disabled={disabled}
      onClick={onClick}
    >
      {icon}
      {children}
    </Base.Item>
  );
}

/** A link in a menu: `<MenuLink render={<Link to="/account" />}>Account</MenuLink>`. */
export function MenuLink({ icon, render, children }: { icon?: ReactNode; render: ReactElement; children: ReactNode }) {
  return (
    <Base.Item className={OPTION} render={render}>
      {icon}
      {children}
    </Base.Item>
  );
}

interface MenuCheckboxProps {
  label: string;
  hint?: string;
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
}

/** A switch in a menu, which stays open. */
export function MenuCheckbox({ label, hint, ...rest }: MenuCheckboxProps) {
  return (
    <Base.CheckboxItem {...rest} className={OPTION}>
      <span className="size-4 shrink-0">
        <Base.CheckboxItemIndicator>
          <Check aria-hidden />
        </Base.CheckboxItemIndicator>
      </span>
      <span className="min-w-0">
        {label}
        {hint && <span className="block text-quiet text-xs">{hint}</span>}
      </span>
    </Base.CheckboxItem>
  );
}

interface MenuRadioGroupProps<Value extends string> {
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  choices: readonly { value: Value; label: string; icon?: ReactNode }[];
}

/** A choice in a menu, which stays open. */
export function MenuRadioGroup<Value extends string>(props: MenuRadioGroupProps<Value>) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-3 py-1.5 text-quiet text-xs">{props.label}</Base.GroupLabel>
      <Base.RadioGroup value={props.value} onValueChange={(value: Value) => props.onValueChange(value)}>
        {props.choices.map((choice) => (
          <Base.RadioItem key={choice.value} value={choice.value} className={OPTION}>
            {choice.icon}
            <span className="flex-1">{choice.label}</span>
            <Base.RadioItemIndicator>
              <Check aria-hidden />
            </Base.RadioItemIndicator>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}

/** A line between groups. */
export function MenuSeparator() {
  return <Base.Separator className="my-1 border-line border-t" />;
}

/** Text in a menu. */
export function MenuNote({ children }: { children: ReactNode }) {
  return <div className="px-3 py-1.5 text-quiet text-xs">{children}</div>;
}
