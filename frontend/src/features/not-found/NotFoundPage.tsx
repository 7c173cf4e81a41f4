import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { buttonClass } from "@/components/ui/Button";
import { SignedOutLayout } from "@/features/sign-in/SignedOutLayout";

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <SignedOutLayout title={t`Page not found`}>
      <p className="mb-6 text-sm">
        <Trans>
          It may have been removed, or you may not have access to it. Check the address, or go to the start page.
        </Trans>
      </p>
      <Link to="/" className={buttonClass("primary")}>
        {t`Go to the start page`}
      </Link>
    </SignedOutLayout>
  );
}
