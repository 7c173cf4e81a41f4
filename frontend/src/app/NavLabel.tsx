import { t } from "@lingui/core/macro";
import { useContext } from "react";
import { UnreadCount } from "@/components/page-heading";
import type { NavItem } from "./nav-items";

const MOST_SHOWN = 99;

/** The label of a link in the navigation; for the inbox with the number of unread documents. */
export function NavLabel({ item }: { item: NavItem }) {
  const unread = useContext(UnreadCount);
  if (item.to !== "/inbox" || unread === 0) return item.label;
  return (
    <>
      <span aria-hidden>{item.label}</span>
      <span
        aria-hidden
        className="ml-1.5 inline-flex h-5 min-w-5 items-center justify-center rounded-full bg-ink px-1.5 font-medium text-paper text-xs tabular-nums max-md:absolute max-md:top-1 max-md:left-1/2 max-md:ml-1 max-md:short:static max-md:short:ml-1.5 forced-colors:border"
      >
        {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
      </span>
      <span className="sr-only">{t`${{ page: item.label }}, ${unread} unread`}</span>
    </>
  );
}
