import { plural, t } from "@lingui/core/macro";
import { Printer } from "lucide-react";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { Problem } from "@/api/problem";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { IconButton } from "@/components/ui/IconButton";
import { type Segment, SegmentedControl } from "@/components/ui/SegmentedControl";
import { useMarkedCopy } from "@/components/use-marked-copy";
import { cx } from "@/lib/cx";
import { Reader } from "../reader/Reader";
import { openDocument, type ReaderDocument } from "../reader/reader-document";
import { SpanSteps } from "../reader/SpanSteps";
import { Markdown } from "./Markdown";
import { markdownView } from "./markdown-view";

type Shown = "rendered" | "source";

const VIEWS: readonly Segment<Shown>[] = [
  { value: "rendered", label: t`Rendered` },
  { value: "source", label: t`Source` },
];

interface MarkdownReaderProps {
  /** Marked text: `edition=marked`, or `edition=gaps` for readers who are not cleared. */
  marked: string;
  gaps?: boolean;
  name: string;
  /** Printed above the document. */
  printed?: ReactNode;
}

/** Shows a Markdown document rendered, with a switch to its source. */
export function MarkdownReader({ marked, gaps = false, name, printed }: MarkdownReaderProps) {
  const [shown, show] = useState<Shown>("rendered");
  return (
    <div className="flex flex-col gap-2">
      <SegmentedControl
        label={t`View`}
        value={shown}
        onValueChange={show}
        segments={VIEWS}
        className="self-start print:hidden"
      />
      {shown === "source" ? (
        <Reader marked={marked} gaps={gaps} name={name} printed={printed} />
      ) : (
        <RenderedMarkdown marked={marked} gaps={gaps} name={name} printed={printed} />
      )}
    </div>
  );
}

/** The rendered document. `inDialog`: in a dialog, which scrolls by itself, and of which nothing is printed. */
export function RenderedMarkdown(props: MarkdownReaderProps & { inDialog?: boolean }) {
  const { marked, gaps = false, name, printed, inDialog = false } = props;
  const opened = useMemo(() => openDocument(marked, gaps), [marked, gaps]);
  if ("fault" in opened) {
    return <ErrorPanel title={t`Could not show the document.`} problem={new Problem(0, opened.fault)} />;
  }
  return <Rendered opened={opened} gaps={gaps} name={name} printed={printed} inDialog={inDialog} />;
}

interface RenderedProps {
  opened: ReaderDocument;
  gaps: boolean;
  name: string;
  printed: ReactNode;
  inDialog: boolean;
}

function Rendered({ opened, gaps, name, printed, inDialog }: RenderedProps) {
  const view = useMemo(() => markdownView(opened, gaps), [opened, gaps]);
  const sheet = useRef<HTMLElement>(null);
  const [at, setAt] = useState(-1);
  useMarkedCopy(sheet);
  const count = view.spans - view.unseen;
  const step = (by: 1 | -1) => {
    const places = [...new Set([...(sheet.current?.querySelectorAll<HTMLElement>("[data-span]") ?? [])].map(spanOf))];
    const next = at < 0 ? (by > 0 ? 0 : places.length - 1) : (at + by + places.length) % places.length;
    for (const one of sheet.current?.querySelectorAll<HTMLElement>("[data-span]") ?? []) {
      one.toggleAttribute("data-selected", spanOf(one) === places[next]);
    }
    sheet.current?.querySelector("[data-selected]")?.scrollIntoView({ block: "center" });
    setAt(next);
  };
  return (
    <div>
      <div
        className={cx(
          "sticky z-20 -mx-1 mb-2 flex min-h-10 items-center justify-between gap-2 px-1 py-1 print:hidden",
          inDialog ? "-top-1 bg-raised" : "top-14 short:top-0 bg-desk/95 backdrop-blur-sm",
        )}
      >
        <SpanSteps count={count} at={at} gaps={gaps} onStep={step} onList={null} />
        {!inDialog && <IconButton label={t`Print`} icon={<Printer />} size="sm" onClick={() => window.print()} />}
      </div>
      {view.unseen > 0 && (
        <p className="mb-2 text-quiet text-sm">
          {gaps
            ? plural(view.unseen, {
                one: "# part withheld only in the source, such as the lines of a table.",
                other: "# parts withheld only in the source, such as the lines of a table.",
              })
            : plural(view.unseen, {
                one: "# part classified only in the source, such as the lines of a table.",
                other: "# parts classified only in the source, such as the lines of a table.",
              })}
        </p>
      )}
      {printed && <div className="mb-6 hidden print:block border-b pb-2 text-sm">{printed}</div>}
      <article ref={sheet} aria-label={name} className="sheet">
        <Markdown view={view} gaps={gaps} />
      </article>
    </div>
  );
}

function spanOf({ dataset }: HTMLElement): number {
  return Number(dataset.span);
}
