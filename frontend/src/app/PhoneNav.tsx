import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Ellipsis, Wrench } from "lucide-react";
import { AdminMenu } from "./AdminMenu";
import { NavLabel } from "./NavLabel";
import type { NavItem } from "./nav-items";

const ITEM =
  "relative flex h-14 flex-col items-center justify-center gap-0.5 px-1.5 text-quiet text-xs no-underline aria-[current=page]:text-ink aria-[current=page]:font-medium focus-visible:-outline-offset-2 [&_svg]:size-5";

/** How many items fit beside each other. */
const MOST = 5;

/** The navigation on a phone. The admin's pages are in a menu; if the person has no others, those that do not fit. */
export function PhoneNav({ work, admin }: { work: readonly NavItem[]; admin: readonly NavItem[] }) {
  const fitting = admin.length > MOST ? admin.slice(0, MOST - 1) : admin;
  const shown = work.length > 0 ? work : fitting;
  const more = work.length > 0 ? admin : admin.slice(fitting.length);
  if (shown.length === 0) return null;
  return (
    <nav
      aria-label={t({ context: "navigation", message: "Main" })}
      className="fixed inset-x-0 bottom-0 z-30 grid auto-cols-[minmax(max-content,1fr)] grid-flow-col overflow-x-auto border-line border-t bg-raised pb-[env(safe-area-inset-bottom)] md:hidden short:hidden print:hidden"
    >
      {shown.map((item) => (
        <Link key={item.to} to={item.to} className={ITEM}>
          {item.icon}
          <NavLabel item={item} />
        </Link>
      ))}
      {more.length > 0 && (
        <AdminMenu
          side="top"
          items={more}
          trigger={
            <button type="button" className={ITEM}>
              {work.length > 0 ? <Wrench aria-hidden /> : <Ellipsis aria-hidden />}
              {work.length > 0
                ? t({ context: "navigation", message: "Admin" })
                : t({ context: "navigation", message: "More" })}
            </button>
          }
        />
      )}
    </nav>
  );
}
