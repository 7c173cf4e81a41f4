import { t } from "@lingui/core/macro";
import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { asProblem } from "@/api/problem";
import { cx } from "@/lib/cx";
import { Button } from "./Button";

interface ErrorPanelProps {
  /** A Problem, or anything thrown. */
  problem: unknown;
  /** What failed: "Could not load the inbox." */
  title?: string;
  /** The button is busy until what it returns is settled. */
  onRetry?: () => unknown;
  className?: string;
}

/** An error in the gateway's words, with a retry button. Screen readers announce it. */
export function ErrorPanel({ problem, title, onRetry, className }: ErrorPanelProps) {
  const { detail, status } = asProblem(problem);
  const [retrying, setRetrying] = useState(false);
  const retry = async () => {
    setRetrying(true);
    try {
      await onRetry?.();
    } finally {
      setRetrying(false);
    }
  };
  return (
    <div
      role="alert"
      className={cx(
        "flex flex-wrap items-start gap-x-3 gap-y-2 rounded-md border border-danger/50 bg-danger-ground px-4 py-3 text-sm",
        className,
      )}
    >
      <TriangleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden />
      <div className="min-w-48 flex-1 max-sm:basis-[calc(100%-2rem)]">
        {title && <p className="font-medium">{title}</p>}
        <p className="wrap-anywhere" data-status={status}>
          {detail}
        </p>
      </div>
      {onRetry && (
        <Button size="sm" busy={retrying} onClick={() => void retry()} className="max-sm:ml-7">
          {t`Try again`}
        </Button>
      )}
    </div>
  );
}
