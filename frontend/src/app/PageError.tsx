import { t } from "@lingui/core/macro";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Problem } from "@/api/problem";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";

/** Replaces a page that failed. The rest of the app keeps working. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const refused = error instanceof Problem && error.status === 403;
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="mx-auto max-w-2xl py-8">
      <PageHeader title={refused ? t`You do not have access` : t`Something went wrong`} />
      <ErrorPanel problem={error} {...(!refused && { onRetry: again })} />
    </div>
  );
}
