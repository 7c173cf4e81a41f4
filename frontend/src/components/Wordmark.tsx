import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";

/** The product's logo and name, and the name of this gateway. */
export function Wordmark({ gateway }: { gateway: string }) {
  return (
    <div className="flex min-w-0 items-center gap-3">
      <Link
        to="/"
        aria-label={t`Security Sieve, start page`}
        className="tap flex shrink-0 items-center gap-2 no-underline"
      >
        <SieveSign className="size-7" />
        <span className="font-serif text-lg tracking-tight max-lg:hidden">Security Sieve</span>
      </Link>
      <span
        title={t`Name of this gateway`}
        className="max-w-40 truncate rounded-sm border border-edge/70 px-1.5 py-px font-medium text-[0.6875rem] uppercase leading-4 tracking-widest"
      >
        {gateway}
      </span>
    </div>
  );
}

/** The logo: a lock and an open ring, for the two channels. */
export function SieveSign({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" fill="none" aria-hidden className={className}>
      <circle cx="16" cy="16" r="13" className="stroke-plain-edge" strokeWidth="2" strokeDasharray="3.1 2.735" />
      <rect x="9.5" y="14.5" width="13" height="9" rx="2" className="fill-secure-edge" />
      <path d="M12.2 14.5v-2.7a3.8 3.8 0 0 1 7.6 0v2.7" className="stroke-secure-edge" strokeWidth="2.5" />
    </svg>
  );
}
