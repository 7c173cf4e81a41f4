import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Menu, MenuLink } from "@/components/ui/Menu";
import type { NavItem } from "./nav-items";

/** What an admin looks after, behind one button, where there is no room for all of it. */
export function AdminMenu({
  items,
  trigger,
  side,
}: {
  items: readonly NavItem[];
  trigger: ReactElement;
  side: "top" | "bottom";
}) {
  return (
    <Menu side={side} trigger={trigger}>
      {items.map((item) => (
        <MenuLink key={item.to} icon={item.icon} render={<Link to={item.to} />}>
          {item.label}
        </MenuLink>
      ))}
    </Menu>
  );
}
