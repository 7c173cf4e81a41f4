import { t } from "@lingui/core/macro";
import { Link, Outlet, useRouter } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useEffect } from "react";
import { focusHeading, SiteName, UnreadCount } from "@/components/page-heading";
import { Wordmark } from "@/components/Wordmark";
import { HelpButton } from "@/features/help/HelpButton";
import { useSession } from "@/session/session";
import { AdminMenu } from "./AdminMenu";
import { LiveBadge } from "./LiveBadge";
import { NavLabel } from "./NavLabel";
import { type NavItem, navItemsOf } from "./nav-items";
import { PersonMenu } from "./PersonMenu";
import { PhoneNav } from "./PhoneNav";
import { useArrivals, useUnreadCount } from "./use-arrivals";

/** The bar at the top, the page, and on a phone the navigation at the bottom. */
export function Layout() {
  const { gateway, laboratory, person } = useSession();
  const { work, admin } = navItemsOf(person, laboratory);
  const unread = useUnreadCount();
  useArrivals();
  useFocusOnNavigation();
  return (
    <SiteName value={gateway}>
      <UnreadCount value={unread}>
        <a
          href="#page"
          className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-ink px-4 py-2 text-paper text-sm focus:translate-y-0 print:hidden"
        >
          {t`Skip to main content`}
        </a>
        <header className="sticky short:static top-0 z-30 border-line border-b bg-desk/95 backdrop-blur-sm print:hidden">
          <div className="mx-auto flex h-14 short:h-11 max-w-7xl items-center gap-3 px-4 sm:px-6">
            <Wordmark gateway={gateway} />
            <nav
              aria-label={t({ context: "navigation", message: "Main" })}
              className="ml-3 hidden h-full min-w-0 flex-1 items-stretch gap-1 md:flex short:flex max-xl:overflow-x-auto max-md:short:ml-0"
            >
              <NavLinks items={work} />
              {/* Both groups do not fit beside each other. */}
              {work.length > 0 && admin.length > 0 && (
                <>
                  <span aria-hidden className="mx-2 my-4 border-edge/50 border-l" />
                  <AdminMenu
                    side="bottom"
                    items={admin}
                    trigger={
                      <button
                        type="button"
                        className="flex items-center gap-1 px-2.5 text-quiet text-sm hover:text-ink"
                      >
                        {t({ context: "navigation", message: "Admin" })}
                        <ChevronDown className="size-3.5" aria-hidden />
                      </button>
                    }
                  />
                </>
              )}
              {work.length === 0 && <NavLinks items={admin} />}
            </nav>
            <div className="ml-auto flex items-center gap-1 sm:gap-2">
              <LiveBadge />
              <HelpButton />
              <PersonMenu />
            </div>
          </div>
        </header>
        <main
          id="page"
          tabIndex={-1}
          className="mx-auto max-w-7xl px-4 pt-6 pb-28 sm:px-6 sm:pt-10 md:pb-16 short:pt-2 short:pb-6 print:p-0"
        >
          <Outlet />
        </main>
        <PhoneNav work={work} admin={admin} />
      </UnreadCount>
    </SiteName>
  );
}

function NavLinks({ items }: { items: readonly NavItem[] }) {
  return items.map((item) => (
    <Link
      key={item.to}
      to={item.to}
      className="relative -mb-px flex items-center border-transparent border-b-2 px-2.5 text-quiet text-sm no-underline hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-ink aria-[current=page]:font-medium aria-[current=page]:text-ink lg:px-3"
    >
      <NavLabel item={item} />
    </Link>
  ));
}

/** After a navigation, scrolls to the top and focuses the heading. A change of filters moves nothing. */
function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onResolved", ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        window.scrollTo(0, 0);
        focusHeading();
      }),
    [router],
  );
}
