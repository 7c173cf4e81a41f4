import { t } from "@lingui/core/macro";
import { memo, useDeferredValue, useLayoutEffect, useRef } from "react";
import { ChannelIcon } from "@/components/channels";
import { Bytes } from "@/components/ui/Bytes";
import { cx } from "@/lib/cx";
import { useWatched } from "./open-text";
import type { PlainBlock } from "./plain-blocks";
import type { Seen } from "./seen-text";
import { useFollowText } from "./use-follow-text";
import { usePlainBlocks } from "./use-plain-blocks";

interface EavesdropperProps {
  /** Whether the text is beside it; else it is in the text's place. */
  beside: boolean;
  /** What was seen of the text before this took its place. */
  start: Seen | null;
  className?: string;
}

/** The plain stream exactly as it is sent: classified text is not in it, and nothing shows where it was. */
export function Eavesdropper({ beside, start, className }: EavesdropperProps) {
  const watched = useDeferredValue(useWatched());
  const blocks = usePlainBlocks(watched);
  const pane = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLElement>(null);
  useFollowText(scroller, blocks, beside, start);
  useLayoutEffect(() => {
    // The page was scrolled down the text; this is not as long, and its heading would be above the window.
    if (!beside && pane.current && isCovered(pane.current)) {
      pane.current.scrollIntoView({ block: "start", behavior: "instant" });
    }
  }, [beside]);
  return (
    <div
      ref={pane}
      className={cx(
        "flex min-h-0 scroll-mt-32 flex-col overflow-hidden rounded-md border border-plain-edge border-dashed bg-paper max-md:scroll-mt-18",
        className,
      )}
    >
      <header className="border-plain-edge border-b border-dashed bg-plain-ground px-4 py-3 text-sm sm:px-6">
        <div className="flex items-center gap-2 text-plain">
          <ChannelIcon channel="plain" />
          <h2 id="eavesdropper" className="flex-1 font-medium">
            {t`What an eavesdropper sees`}
          </h2>
          <Bytes value={watched.counts.plainBytes} className="tabular-nums" />
        </div>
        <p className="mt-1 text-quiet">{t`Nothing sent here shows where classified text was, or how long it was.`}</p>
      </header>
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keys
        tabIndex={0}
        aria-labelledby="eavesdropper"
        className="min-h-0 flex-1 overflow-y-auto px-4 py-6 focus-visible:-outline-offset-2 sm:px-8 sm:py-10"
      >
        {blocks.length === 0 ? (
          <p className="text-quiet text-sm">
            {watched.counts.documentBytes === 0
              ? t`Nothing: the document is empty.`
              : t`Nothing: all of the document is classified.`}
          </p>
        ) : (
          <div className="document">
            {blocks.map((block) => (
              <Block key={block.key} block={block} />
            ))}
          </div>
        )}
      </section>
    </div>
  );
}

/** Whether the bars at the top are over it. */
function isCovered(pane: Element): boolean {
  return pane.getBoundingClientRect().top < Number.parseFloat(getComputedStyle(pane).scrollMarginTop);
}

const Block = memo(function Block({ block }: { block: PlainBlock }) {
  return (
    <div className={cx("plain-block", block.continues && "continues")}>
      <span className="eavesdropped">{block.text.replace(/\r(?!\n)/g, "\n")}</span>
    </div>
  );
});
