import { Trans } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import type { Problem } from "@/api/problem";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { FaultyLine } from "./FaultyLine";
import type { Place } from "./scan";

interface ImportErrorPanelProps {
  file: File;
  title: string;
  problem: Problem;
  onRetry: (() => void) | false;
  /** Whether the focus moves here, because the error appeared by itself. */
  takesFocus: boolean;
}

/** Why a file was not imported, with the faulty line if there is one, and what to do. */
export function ImportErrorPanel({ file, title, problem, onRetry, takesFocus }: ImportErrorPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const place = placeOf(problem);
  useEffect(() => {
    if (takesFocus) panel.current?.focus({ preventScroll: true });
    reveal(panel.current);
  }, [takesFocus]);
  return (
    <div ref={panel} tabIndex={-1} className="flex scroll-my-6 flex-col gap-3 outline-none">
      <ErrorPanel title={title} problem={problem} {...(onRetry && { onRetry })} />
      {place && <FaultyLine file={file} place={place} onShown={() => reveal(panel.current)} />}
      {problem.status === 422 && (
        <p className="text-sm">
          <Trans>Choose another way to import it, or fix the file and choose it again.</Trans>
        </p>
      )}
    </div>
  );
}

function reveal(panel: HTMLElement | null): void {
  panel?.scrollIntoView?.({ block: "nearest" });
}

function placeOf({ extra: { line, column } }: Problem): Place | null {
  return typeof line === "number" && typeof column === "number" ? { line, column } : null;
}
