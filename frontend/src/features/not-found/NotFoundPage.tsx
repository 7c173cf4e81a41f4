import { Link } from "@tanstack/react-router";
import { buttonClass } from "@/components/ui/Button";
import { SignedOutLayout } from "@/features/sign-in/SignedOutLayout";

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <SignedOutLayout title="There is nothing at this address">
      <p className="mb-6 text-sm">
        It may have been removed, or it was never yours. Check the address, or begin at the start.
      </p>
      <Link to="/" className={buttonClass("primary")}>
        Go to the start
      </Link>
    </SignedOutLayout>
  );
}
