import { Link } from "@tanstack/react-router";
import { buttonClass } from "@/components/ui/Button";
import { SignedOutLayout } from "@/features/sign-in/SignedOutLayout";

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <SignedOutLayout title="Page not found">
      <p className="mb-6 text-sm">
        It may have been removed, or you may not have access to it. Check the address, or go to the start page.
      </p>
      <Link to="/" className={buttonClass("primary")}>
        Go to the start page
      </Link>
    </SignedOutLayout>
  );
}
