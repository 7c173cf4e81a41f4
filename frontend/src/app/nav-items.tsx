import { t } from "@lingui/core/macro";
import {
  ArrowLeftRight,
  BookCheck,
  FileText,
  FlaskConical,
  Gauge,
  HardDrive,
  Inbox,
  Network,
  ScrollText,
  Send,
  Settings,
  Users,
} from "lucide-react";
import type { ReactNode } from "react";
import { hasRole } from "@/api/roles";
import type { PersonShown, Role } from "@/api/types";

export interface NavItem {
  to:
    | "/documents"
    | "/sent"
    | "/inbox"
    | "/admin/people"
    | "/admin/peers"
    | "/admin/transfers"
    | "/admin/timings"
    | "/admin/policies"
    | "/admin/audit"
    | "/admin/storage"
    | "/admin/laboratory"
    | "/admin/settings";
  label: string;
  icon: ReactNode;
  role: Role;
}

const NAV_ITEMS: readonly NavItem[] = [
  { to: "/documents", label: t`Documents`, icon: <FileText aria-hidden />, role: "author" },
  { to: "/sent", label: t`Sent`, icon: <Send aria-hidden />, role: "author" },
  {
    to: "/inbox",
    label: t({ context: "navigation", message: "Inbox" }),
    icon: <Inbox aria-hidden />,
    role: "recipient",
  },
  { to: "/admin/people", label: t`People`, icon: <Users aria-hidden />, role: "admin" },
  { to: "/admin/peers", label: t`Peers`, icon: <Network aria-hidden />, role: "admin" },
  { to: "/admin/transfers", label: t`Transfers`, icon: <ArrowLeftRight aria-hidden />, role: "admin" },
  { to: "/admin/timings", label: t`Timings`, icon: <Gauge aria-hidden />, role: "admin" },
  { to: "/admin/policies", label: t`Policies`, icon: <ScrollText aria-hidden />, role: "admin" },
  { to: "/admin/audit", label: t`Audit`, icon: <BookCheck aria-hidden />, role: "admin" },
  { to: "/admin/storage", label: t`Storage`, icon: <HardDrive aria-hidden />, role: "admin" },
  { to: "/admin/laboratory", label: t`Laboratory`, icon: <FlaskConical aria-hidden />, role: "admin" },
  { to: "/admin/settings", label: t`Settings`, icon: <Settings aria-hidden />, role: "admin" },
];

/** The pages that this person may open: for their own work, and for admins. `laboratory`: whether there is one. */
export function navItemsOf(person: PersonShown, laboratory: boolean): { work: NavItem[]; admin: NavItem[] } {
  const open = NAV_ITEMS.filter(
    (item) => hasRole(person, item.role) && (laboratory || item.to !== "/admin/laboratory"),
  );
  return {
    work: open.filter((item) => item.role !== "admin"),
    admin: open.filter((item) => item.role === "admin"),
  };
}
