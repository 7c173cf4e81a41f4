import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Menu, MenuLink } from "@/components/ui/Menu";
import type { NavItem } from "./nav-items";

/** The admin's pages in a menu, for narrow screens. */
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
