/** Every address of the UI. The code of a page is loaded on the first visit. nav-items.tsx has its menu entry. */
import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router";
import { Problem } from "@/api/problem";
import { hasRole, homeOf } from "@/api/roles";
import { sessionQuery } from "@/api/session";
import type { PersonShown, Role, SessionShown } from "@/api/types";
import { Loading } from "@/components/Loading";
import { NotFoundPage } from "@/features/not-found/NotFoundPage";
import { timingsSearch } from "@/features/timings/timings-search";
import { parseSearch, stringifySearch } from "@/lib/search-text";
import { lazyPage } from "./lazy-page";
import { PageError } from "./PageError";
import { SignedIn } from "./SignedIn";
import * as searches from "./search-params";

interface RouterContext {
  queryClient: QueryClient;
}

type SignedInSession = SessionShown & { person: PersonShown };

const FOR_ROLE: Record<Role, string> = {
  author: t`This page is for authors. Ask an admin if you need access.`,
  recipient: t`This page is for recipients. Ask an admin if you need access.`,
  admin: t`This page is for admins. Ask an admin if you need access.`,
};

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: searches.signInSearch,
  component: lazyPage(() => import("@/features/sign-in/SignInPage"), "SignInPage"),
});

const sso = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/sso",
  component: lazyPage(() => import("@/features/sign-in/SsoPage"), "SsoPage"),
});

const oneTimeLink = createRoute({
  getParentRoute: () => root,
  path: "/welcome",
  component: lazyPage(() => import("@/features/sign-in/OneTimeLinkPage"), "OneTimeLinkPage"),
});

/** The parent of all pages that require signing in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "in",
  beforeLoad: async ({ context, location }): Promise<{ session: SignedInSession }> => {
    const { person, ...session } = await context.queryClient.ensureQueryData(sessionQuery);
    if (!person) throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { to: location.href } });
    return { session: { ...session, person } };
  },
  component: function SignedInRoute() {
    const { session } = signedIn.useRouteContext();
    return <SignedIn first={session} />;
  },
});

/** A route's `beforeLoad` that requires a role. */
function requireRole(role: Role) {
  return ({ context }: { context: { session: SignedInSession } }) => {
    if (hasRole(context.session.person, role)) return;
    throw new Problem(403, FOR_ROLE[role]);
  };
}

const forAuthors = { getParentRoute: () => signedIn, beforeLoad: requireRole("author") };
const forRecipients = { getParentRoute: () => signedIn, beforeLoad: requireRole("recipient") };
const forAdmins = { getParentRoute: () => signedIn, beforeLoad: requireRole("admin") };

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  beforeLoad: ({ context }) => {
    throw redirect({ to: homeOf(context.session.person), replace: true });
  },
});

const documents = createRoute({
  ...forAuthors,
  path: "/documents",
  validateSearch: searches.documentsSearch,
  component: lazyPage(() => import("@/features/documents/DocumentsPage"), "DocumentsPage"),
});

const editor = createRoute({
  ...forAuthors,
  path: "/documents/$id",
  component: lazyPage(() => import("./DocumentRoute"), "DocumentRoute"),
});

const versions = createRoute({
  ...forAuthors,
  path: "/documents/$id/versions",
  component: lazyPage(() => import("@/features/versions/VersionsPage"), "VersionsPage"),
});

const version = createRoute({
  ...forAuthors,
  path: "/documents/$id/versions/$revision",
  component: lazyPage(() => import("@/features/versions/VersionPage"), "VersionPage"),
});

const compare = createRoute({
  ...forAuthors,
  path: "/documents/$id/compare",
  validateSearch: searches.compareSearch,
  component: lazyPage(() => import("@/features/versions/ComparePage"), "ComparePage"),
});

const sent = createRoute({
  ...forAuthors,
  path: "/sent",
  validateSearch: searches.sentSearch,
  component: lazyPage(() => import("@/features/transfers/SentPage"), "SentPage"),
});

const transfer = createRoute({
  getParentRoute: () => signedIn,
  path: "/sent/$id",
  component: lazyPage(() => import("@/features/transfers/TransferPage"), "TransferPage"),
});

const sentDocument = createRoute({
  ...forAuthors,
  path: "/sent/$id/document",
  component: lazyPage(() => import("@/features/stored/SentDocumentPage"), "SentDocumentPage"),
});

const inbox = createRoute({
  ...forRecipients,
  path: "/inbox",
  validateSearch: searches.inboxSearch,
  component: lazyPage(() => import("@/features/inbox/InboxPage"), "InboxPage"),
});

const inboxEntry = createRoute({
  ...forRecipients,
  path: "/inbox/$id",
  component: lazyPage(() => import("@/features/inbox/InboxEntryPage"), "InboxEntryPage"),
});

const people = createRoute({
  ...forAdmins,
  path: "/admin/people",
  validateSearch: searches.nameSearch,
  component: lazyPage(() => import("@/features/admin/PeoplePage"), "PeoplePage"),
});

const peers = createRoute({
  ...forAdmins,
  path: "/admin/peers",
  component: lazyPage(() => import("@/features/admin/PeersPage"), "PeersPage"),
});

const transfers = createRoute({
  ...forAdmins,
  path: "/admin/transfers",
  validateSearch: searches.transfersSearch,
  component: lazyPage(() => import("@/features/admin/TransfersPage"), "TransfersPage"),
});

const timings = createRoute({
  ...forAdmins,
  path: "/admin/timings",
  validateSearch: timingsSearch,
  component: lazyPage(() => import("@/features/timings/TimingsPage"), "TimingsPage"),
});

const policies = createRoute({
  ...forAdmins,
  path: "/admin/policies",
  component: lazyPage(() => import("@/features/policies/PoliciesPage"), "PoliciesPage"),
});

const policy = createRoute({
  ...forAdmins,
  path: "/admin/policies/$name",
  component: lazyPage(() => import("@/features/policies/PolicyPage"), "PolicyPage"),
});

const audit = createRoute({
  ...forAdmins,
  path: "/admin/audit",
  validateSearch: searches.auditSearch,
  component: lazyPage(() => import("@/features/audit/AuditPage"), "AuditPage"),
});

const storage = createRoute({
  ...forAdmins,
  path: "/admin/storage",
  component: lazyPage(() => import("@/features/admin/StoragePage"), "StoragePage"),
});

const laboratory = createRoute({
  ...forAdmins,
  path: "/admin/laboratory",
  component: lazyPage(() => import("@/features/laboratory/LaboratoryPage"), "LaboratoryPage"),
});

const settings = createRoute({
  ...forAdmins,
  path: "/admin/settings",
  component: lazyPage(() => import("@/features/admin/SettingsPage"), "SettingsPage"),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  component: lazyPage(() => import("@/features/account/AccountPage"), "AccountPage"),
});

const guide = createRoute({
  getParentRoute: () => signedIn,
  path: "/guide",
  validateSearch: searches.guideSearch,
  component: lazyPage(() => import("@/features/help/GuidePage"), "GuidePage"),
});

const tree = root.addChildren([
  signIn,
  sso,
  oneTimeLink,
  signedIn.addChildren([
    home,
    documents,
    editor,
    versions,
    compare,
    version,
    sent,
    transfer,
    sentDocument,
    inbox,
    inboxEntry,
    people,
    peers,
    transfers,
    timings,
    policies,
    policy,
    audit,
    storage,
    laboratory,
    settings,
    account,
    guide,
  ]),
]);

/** The router. It does not restore scroll positions, because that needs the browser's storage. */
export function newRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: Loading,
    defaultErrorComponent: PageError,
    defaultPendingMs: 300,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
