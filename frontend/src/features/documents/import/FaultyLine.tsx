import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useEffect, useEffectEvent, useState } from "react";
import { type Excerpt, readExcerpt } from "./excerpt";
import type { Place } from "./scan";

/** The faulty line, read from the author's own file, because the gateway never repeats content in errors. */
export function FaultyLine({ file, place, onShown }: { file: File; place: Place; onShown?: () => void }) {
  const { line, column } = place;
  const [excerpt, setExcerpt] = useState<Excerpt | null>(null);
  const shown = useEffectEvent(() => onShown?.());
  useEffect(() => {
    const gone = new AbortController();
    readExcerpt(file, { line, column }, gone.signal).then(setExcerpt, () => {
      // Without the file there is no line to show; the error still names the place.
    });
    return () => gone.abort();
  }, [file, line, column]);
  useEffect(() => {
    if (excerpt) shown();
  }, [excerpt]);
  if (!excerpt) return null;
  const { before, after, cutBefore, cutAfter } = excerpt;
  const at = after.match(/^<\$[SE]>|^./u)?.[0] ?? "";
  return (
    <figure aria-label={t`Line ${line}`} className="flex gap-3 rounded-sm border border-line bg-paper px-3 pt-2 pb-4">
      <span aria-hidden className="select-none font-mono text-quiet text-sm leading-7">
        {line}
      </span>
      <code className="wrap-anywhere min-w-0 whitespace-pre-wrap font-mono text-sm leading-7">
        {cutBefore && <span className="text-quiet">… </span>}
        {before}
        <span className="sr-only">
          {" "}
          <Trans>here:</Trans>{" "}
        </span>
        <span className="relative rounded-sm bg-danger-ground font-semibold text-danger outline outline-danger/60">
          {at || "\u00A0"}
          <span
            aria-hidden
            className="absolute top-full left-1/2 -translate-x-1/2 select-none text-[0.625rem] leading-none"
          >
            ▲
          </span>
        </span>
        {after.slice(at.length)}
        {cutAfter && <span className="text-quiet"> …</span>}
      </code>
    </figure>
  );
}
