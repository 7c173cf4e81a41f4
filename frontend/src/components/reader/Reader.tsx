import { t } from "@lingui/core/macro";
import { Printer, Search } from "lucide-react";
import { type ReactNode, useDeferredValue, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { Problem } from "@/api/problem";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { IconButton } from "@/components/ui/IconButton";
import { numberText } from "@/lib/numbers";
import { FindBar } from "./FindBar";
import { type Found, find, hitFrom, MOST_HITS } from "./find";
import { PartSteps } from "./PartSteps";
import { blockAt, openDocument, partAt, type ReaderDocument, spanFrom } from "./reader-document";
import { Sheet, type SheetHandle, type Target } from "./Sheet";
import { SpanList } from "./SpanList";
import { SpanSteps } from "./SpanSteps";
import { useShortcuts } from "./use-shortcuts";

interface ReaderProps {
  /** Marked text, as the gateway writes it: `edition=marked`, or `edition=gaps` for readers who are not cleared. */
  marked: string;
  /** It is `edition=gaps`: empty spans mark withheld text. */
  gaps?: boolean;
  /** The document's name. */
  name: string;
  /** Printed above the document. */
  printed?: ReactNode;
}

/** Shows a document read-only, up to `MOST_SHOWN_BYTES`. It scrolls with the page. */
export function Reader({ marked, gaps = false, name, printed }: ReaderProps) {
  const opened = useMemo(() => openDocument(marked, gaps), [marked, gaps]);
  if ("fault" in opened) {
    return <ErrorPanel title={t`Could not show the document.`} problem={new Problem(0, opened.fault)} />;
  }
  return <OpenReader opened={opened} name={name} printed={printed} />;
}

function OpenReader({ opened, name, printed }: { opened: ReaderDocument; name: string; printed: ReactNode }) {
  const sheet = useRef<SheetHandle>(null);
  const input = useRef<HTMLInputElement>(null);
  const [part, setPart] = useState(0);
  const [target, setTarget] = useState<Target | null>(null);
  const [finding, setFinding] = useState(false);
  const [query, setQuery] = useState("");
  const [listing, setListing] = useState(false);
  const wanted = useDeferredValue(finding ? query : "");
  const found = useMemo(() => find(opened, wanted), [opened, wanted]);

  const go = (kind: Target["kind"], index: number) => {
    const place = (kind === "hit" ? found.hits : opened.spans)[index];
    if (!place) return;
    setPart(partAt(opened, blockAt(opened, place.from)));
    setTarget((before) => ({ kind, index, turn: (before?.turn ?? 0) + 1 }));
  };
  const reading = () => sheet.current?.reading() ?? 0;
  const stepHit = (step: 1 | -1) => {
    const { length } = found.hits;
    const start = target?.kind === "hit" ? target.index + step : hitFrom(found.hits, reading());
    go("hit", (start + length) % length);
  };
  const stepSpan = (step: 1 | -1) => {
    const { length } = opened.spans;
    const start = target?.kind === "span" ? target.index + step : spanFrom(opened, reading()) - (step < 0 ? 1 : 0);
    go("span", (start + length) % length);
  };
  const focusFind = () => {
    input.current?.focus({ preventScroll: true });
    input.current?.select();
  };
  const startFinding = () => {
    setFinding(true);
    focusFind();
  };
  const opener = useRef<HTMLButtonElement>(null);
  const stopFinding = () => {
    setFinding(false);
    setTarget((before) => (before?.kind === "hit" ? null : before));
    opener.current?.focus({ preventScroll: true });
  };

  const opensFind = useEffectEvent(focusFind);
  useEffect(() => {
    if (finding) opensFind();
  }, [finding]);

  // While typing continues, the current match stays as long as it still matches.
  const origin = useRef(0);
  const newFound = useEffectEvent((news: Found) => {
    const at = target?.kind === "hit" ? origin.current : reading();
    if (news.hits.length === 0) {
      setTarget((before) => (before?.kind === "hit" ? null : before));
      return;
    }
    go("hit", hitFrom(news.hits, at));
  });
  useEffect(() => newFound(found), [found]);
  useEffect(() => {
    if (target?.kind === "hit") origin.current = found.hits[target.index]?.from ?? 0;
  }, [target, found]);

  useShortcuts({
    onFind: startFinding,
    onNext: found.hits.length > 0 ? stepHit : null,
    onSelectAll: () => sheet.current?.selectAll(),
  });

  const parts = (
    <PartSteps
      opened={opened}
      part={part}
      onPart={(next) => {
        setPart(next);
        window.scrollTo({ top: 0, behavior: "instant" });
      }}
    />
  );
  return (
    <div>
      <div className="sticky top-[var(--reader-top,3.5rem)] short:top-0 z-20 -mx-1 mb-2 bg-desk/95 px-1 py-1 backdrop-blur-sm print:hidden">
        <div className="flex min-h-10 items-center justify-between gap-2 max-sm:gap-0">
          <SpanSteps
            count={opened.spans.length}
            at={target?.kind === "span" ? target.index : -1}
            gaps={opened.gaps}
            onStep={stepSpan}
            onList={opened.gaps ? null : () => setListing(true)}
          />
          <div className="flex items-center">
            <IconButton
              ref={opener}
              label={t`Find`}
              icon={<Search />}
              size="sm"
              pressed={finding}
              onClick={finding ? stopFinding : startFinding}
            />
            <IconButton label={t`Print`} icon={<Printer />} size="sm" onClick={() => window.print()} />
          </div>
        </div>
        {finding && (
          <FindBar
            input={input}
            query={query}
            onQuery={setQuery}
            says={saysOf(found, target, wanted)}
            none={wanted !== "" && found.hits.length === 0}
            onStep={(step) => found.hits.length > 0 && stepHit(step)}
            onClose={stopFinding}
          />
        )}
        {parts}
      </div>
      {printed && <div className="mb-6 hidden print:block border-b pb-2 text-sm">{printed}</div>}
      <Sheet opened={opened} part={part} found={found} target={target} name={name} handle={sheet} />
      <div className="print:hidden">{parts}</div>
      {listing && (
        <SpanList
          opened={opened}
          onChoose={(span) => {
            setListing(false);
            go("span", span);
          }}
          onClose={() => setListing(false)}
        />
      )}
    </div>
  );
}

function saysOf({ hits, more }: Found, target: Target | null, wanted: string): string {
  if (wanted === "") return "";
  if (hits.length === 0) return t`No matches`;
  const total = more ? `${numberText(MOST_HITS)}+` : numberText(hits.length);
  return target?.kind === "hit" ? t`${{ at: numberText(target.index + 1) }} of ${total}` : total;
}
