import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Menu, MenuLink } from "@/components/ui/Menu";
import type { Place } from "./nav-items";

/** What an admin looks after, behind one button, where there is no room for all of it. */
export function AdminMenu({
  places,
  trigger,
  side,
}: {
  places: readonly Place[];
  trigger: ReactElement;
  side: "top" | "bottom";
}) {
  return (
    <Menu side={side} trigger={trigger}>
      {places.map((place) => (
        <MenuLink key={place.to} icon={place.icon} render={<Link to={place.to} />}>
          {place.label}
        </MenuLink>
      ))}
    </Menu>
  );
}
