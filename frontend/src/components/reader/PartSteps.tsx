import { t } from "@lingui/core/macro";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "@/components/ui/Button";
import { numberText } from "@/lib/numbers";
import type { ReaderDocument } from "./reader-document";

interface PartStepsProps {
  opened: ReaderDocument;
  part: number;
  onPart: (part: number) => void;
}

/** Shows which part of a very long document is visible, with buttons to the others. Nothing if there is only one. */
export function PartSteps({ opened: { blocks, parts }, part, onPart }: PartStepsProps) {
  if (parts.length < 2) return null;
  const first = blocks[parts[part] ?? 0]?.line ?? 1;
  const next = parts[part + 1];
  const end = blocks[(next ?? blocks.length) - 1];
  const last = end ? end.line + end.lines - 1 : first;
  const [number, firstLine, lastLine] = [numberText(part + 1), numberText(first), numberText(last)];
  return (
    <nav
      aria-label={t`Parts of the document`}
      className="flex flex-wrap items-center justify-between gap-2 py-2 text-sm"
    >
      <span>{t`Part ${number} of ${{ parts: parts.length }}: lines ${firstLine} to ${lastLine}`}</span>
      <span className="flex gap-2">
        <Button size="sm" icon={<ChevronLeft />} disabled={part === 0} onClick={() => onPart(part - 1)}>
          {t`Previous part`}
        </Button>
        <Button size="sm" disabled={next === undefined} onClick={() => onPart(part + 1)}>
          {t`Next part`}
          <ChevronRight aria-hidden />
        </Button>
      </span>
    </nav>
  );
}
