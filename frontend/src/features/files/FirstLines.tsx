import { cx } from "@/lib/cx";
import type { FirstLinesShown } from "./first-lines";

/** The first lines of a text. `eavesdropped`: they are sent in the clear. */
export function FirstLines({
  label,
  head,
  eavesdropped = false,
}: {
  label: string;
  head: FirstLinesShown;
  eavesdropped?: boolean;
}) {
  return (
    <figure aria-label={label} className="flex flex-col gap-1">
      <figcaption className="text-quiet">{label}</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keys
        tabIndex={0}
        className={cx(
          "max-h-72 overflow-auto rounded-md border bg-paper px-4 py-3 font-mono text-xs leading-5",
          eavesdropped ? "border-plain-edge border-dashed" : "border-line",
        )}
      >
        <span className={eavesdropped ? "text-plain" : ""}>{head.text}</span>
        {head.more && <span className="text-quiet">{"\n…"}</span>}
      </pre>
    </figure>
  );
}
