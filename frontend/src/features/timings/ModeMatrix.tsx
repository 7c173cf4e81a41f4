import { t } from "@lingui/core/macro";
import { ArrowDown, ArrowUp, Equal } from "lucide-react";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { SHARE_CLASSES, SIZE_CLASSES, shareClassText, sizeClassText } from "./classes";
import {
  type BreakEven,
  breakEvenText,
  intervalText,
  type ModeCell,
  matrixOf,
  percentOf,
  verdictOf,
} from "./modes-compared";

const CELL = "max-sm:grid max-sm:grid-cols-[6rem_1fr] max-sm:items-center sm:h-px sm:p-0.5";
const BOX = "flex h-full flex-wrap content-start items-baseline gap-x-3 rounded-sm px-2 py-1 sm:flex-col sm:py-1.5";

/** How much faster both channels respond, for each size and share classified. On a phone, each size is a list. */
export function ModeMatrix({ cells, breakEven }: { cells: readonly ModeCell[]; breakEven: readonly BreakEven[] }) {
  const { sizes, shares, at } = matrixOf(cells, SIZE_CLASSES, SHARE_CLASSES);
  return (
    // A wide matrix scrolls, also with the arrow keys.
    <section
      aria-label={t`Modes by size and share classified`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus
      tabIndex={0}
      className="relative overflow-x-auto"
    >
      <table className="w-full text-sm max-sm:block">
        <caption className="sr-only">{t`How much faster both channels respond than the secure channel only`}</caption>
        <thead className="max-sm:sr-only">
          <tr>
            <td />
            <th
              colSpan={shares.length}
              scope="colgroup"
              className="pb-1 text-left font-normal text-quiet"
            >{t`Share classified`}</th>
            <td />
          </tr>
          <tr className="text-quiet">
            <th scope="col" className="pr-3 pb-1 text-left font-medium">{t`Size`}</th>
            {shares.map((share) => (
              <th key={share} scope="col" className="px-1 pb-1 text-left font-medium">
                {shareClassText(share)}
              </th>
            ))}
            <th scope="col" className="pb-1 pl-3 text-left font-medium">{t`Break-even`}</th>
          </tr>
        </thead>
        <tbody className="max-sm:flex max-sm:flex-col max-sm:gap-4">
          {sizes.map((size) => (
            <tr key={size} className="max-sm:flex max-sm:flex-col max-sm:gap-1">
              <th scope="row" className="pr-3 text-left font-medium sm:whitespace-nowrap sm:font-normal">
                {sizeClassText(size)}
              </th>
              {shares.map((share) => (
                <Cell key={share} share={share} cell={at(size, share)} />
              ))}
              <td className="max-sm:grid max-sm:grid-cols-[6rem_1fr] sm:min-w-28 sm:pl-3">
                <span aria-hidden className="text-quiet sm:hidden">{t`Break-even`}</span>
                <BreakEvenAt found={breakEven.find((one) => one.size === size)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ share, cell }: { share: string; cell: ModeCell | undefined }) {
  if (!cell) return <td className="max-sm:hidden" />;
  return (
    <td className={CELL}>
      <span aria-hidden className="text-quiet sm:hidden">
        {shareClassText(share)}
      </span>
      <Comparison cell={cell} />
    </td>
  );
}

/** 70 % is what the best mode saves at the most. */
const STRONGEST_PERCENT = 70;

function Comparison({ cell }: { cell: ModeCell }) {
  const verdict = verdictOf(cell);
  const { improvement_percent: percent, low, high, sieve, secure_only } = cell;
  const counts = (
    <span className="whitespace-nowrap text-xs">
      <span aria-hidden>
        n {numberText(sieve.count)} / {numberText(secure_only.count)}
      </span>
      <span className="sr-only">
        {t`${numberText(sieve.count)} over both channels, ${numberText(secure_only.count)} over the secure channel only`}
      </span>
    </span>
  );
  if (verdict === "few" || percent === null || low === null || high === null) {
    return (
      <div className={cx(BOX, "border border-edge/50 border-dashed text-quiet")}>
        <span>{t`Not enough transfers`}</span>
        {counts}
      </div>
    );
  }
  const Icon = { sieve: ArrowUp, "secure-only": ArrowDown, unclear: Equal }[verdict];
  const strength = 10 + (Math.min(Math.abs(percent), STRONGEST_PERCENT) / STRONGEST_PERCENT) * 35;
  const fill = verdict === "sieve" ? "var(--plain-fill)" : "var(--secure-fill)";
  return (
    <div
      className={cx(BOX, verdict === "unclear" && "bg-ink/8")}
      style={verdict === "unclear" ? {} : { backgroundColor: `color-mix(in srgb, ${fill} ${strength}%, var(--paper))` }}
    >
      <span className={cx("font-medium", verdict !== "unclear" && "whitespace-nowrap")}>
        <Icon aria-hidden className="mr-1 inline size-3.5" />
        {verdict === "unclear" ? t`No clear difference` : fasterText(percent)}
      </span>
      <span className="whitespace-nowrap text-xs">
        <span className="sr-only">{t`95 % interval:`} </span>
        {intervalText(low, high)}
      </span>
      {counts}
    </div>
  );
}

function fasterText(percent: number): string {
  return percent > 0 ? t`${percentOf(percent)} faster` : t`${percentOf(percent)} slower`;
}

function BreakEvenAt({ found }: { found: BreakEven | undefined }) {
  if (!found) return null;
  return <span className={cx(found.share === null && "text-quiet text-xs")}>{breakEvenText(found)}</span>;
}
