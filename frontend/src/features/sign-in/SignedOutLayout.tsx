import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sessionQuery } from "@/api/session";
import { LanguageSwitch } from "@/components/LanguageSwitch";
import { SiteName } from "@/components/page-heading";
import { ThemeSwitch } from "@/components/ThemeSwitch";
import { PageHeader } from "@/components/ui/PageHeader";
import { SieveSign } from "@/components/Wordmark";

/** The layout of pages without signing in: a sheet with the gateway's name. */
export function SignedOutLayout({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  const { data } = useQuery(sessionQuery);
  return (
    <SiteName value={data?.gateway ?? "Security Sieve"}>
      <div className="flex min-h-dvh flex-col items-center px-4 py-8">
        <main className="my-auto w-full max-w-104">
          <div className="mb-6 flex items-center justify-center gap-3">
            <SieveSign className="size-9" />
            <span className="font-serif text-2xl tracking-tight">Security Sieve</span>
          </div>
          <div className="rounded-lg bg-paper shadow-sheet">
            <div className="flex min-h-10 items-center justify-between gap-4 letterhead px-6 sm:px-8">
              <span className="text-quiet text-sm">{t`Gateway`}</span>
              <span className="truncate font-medium text-sm uppercase tracking-widest">{data?.gateway ?? "…"}</span>
            </div>
            <div className="px-6 pt-6 pb-8 sm:px-8">
              <PageHeader title={title}>{lead}</PageHeader>
              {children}
            </div>
          </div>
        </main>
        <div className="mt-8 flex flex-wrap items-center justify-center gap-4">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </div>
    </SiteName>
  );
}
