import { t } from "@lingui/core/macro";
import { useState } from "react";
import { Button } from "@/components/ui/Button";
import { cx } from "@/lib/cx";

/** Pictures come in these steps of width, so that a window's edge that is moved does not load them all again. */
const STEP_PX = 400;
const MOST_PX = 2400;

/** The width to ask for, for a picture that is shown `width` px wide. */
export function stepOf(width: number): number {
  const wanted = width * (globalThis.devicePixelRatio || 1);
  return Math.min(MOST_PX, Math.max(STEP_PX, Math.ceil(wanted / STEP_PX) * STEP_PX));
}

/** What cannot be had is said in its place, with another try. */
export function Picture({ src, page }: { src: string; page: number }) {
  const [state, setState] = useState<"loading" | "there" | "failed">("loading");
  const [tries, setTries] = useState(0);
  if (state === "failed") {
    return (
      <div className="absolute inset-0 flex flex-col items-center justify-center gap-3 p-4 text-center text-sm">
        <p>{t`The picture of this page could not be loaded.`}</p>
        <Button
          size="sm"
          onClick={() => {
            setTries(tries + 1);
            setState("loading");
          }}
        >{t`Try again`}</Button>
      </div>
    );
  }
  return (
    <img
      key={tries}
      src={src}
      alt={t`Page ${page}, rendered`}
      draggable={false}
      onLoad={() => setState("there")}
      onError={() => setState("failed")}
      className={cx("absolute inset-0 size-full select-none", state === "loading" && "animate-pulse bg-ink/5")}
    />
  );
}
