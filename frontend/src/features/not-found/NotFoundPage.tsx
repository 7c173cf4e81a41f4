import { Link } from "@tanstack/react-router";
import { FileQuestionMark } from "lucide-react";
import { buttonClass } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <div className="mx-auto max-w-2xl px-4 py-16">
      <title>Nothing here · Security Sieve</title>
      <h1 className="sr-only">There is nothing here</h1>
      <EmptyState
        icon={<FileQuestionMark aria-hidden />}
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonClass("primary")}>
            Go to the start
          </Link>
        }
      >
        It may have been removed, or it was never yours. Check the address, or begin at the start.
      </EmptyState>
    </div>
  );
}
