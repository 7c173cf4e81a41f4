import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { type LabelSetShown, labelSetQuery } from "@/api/labels";
import { WhatIsThis } from "@/components/help/WhatIsThis";
import { usePageBanner } from "./use-page-banner";

interface Banner {
  readonly text: string;
  /** This gateway's label set has all of the labels, so it is the highest. */
  readonly isHighest: boolean;
}

/**
 * The banner of a received file whose marks have these labels; null if they have none. Only this gateway's own labels have a
 * rank here: if one of them is unknown, all are named.
 */
export function bannerOf(names: readonly string[], set: LabelSetShown | undefined): Banner | null {
  if (names.length === 0) return null;
  const known = names.flatMap((name) => set?.labels.find((label) => label.name === name) ?? []);
  if (known.length < names.length) return { text: names.join(", "), isHighest: names.length === 1 };
  const highest = known.reduce((one, other) => (other.rank > one.rank ? other : one));
  return { text: highest.banner, isHighest: true };
}

/** The labels of a received file as its banner, above it and on each printed page. */
export function LabelsBanner({ names }: { names: readonly string[] }) {
  const { data: set } = useQuery({ ...labelSetQuery, enabled: names.length > 0 });
  const banner = bannerOf(names, set);
  usePageBanner(banner?.text ?? null);
  if (!banner) return null;
  return (
    <section
      aria-label={t`Banner`}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md border border-secure-edge bg-secure-ground px-4 py-2 text-sm print:bg-transparent"
    >
      <span className="wrap-anywhere flex items-center gap-2 font-medium text-secure">
        {banner.text}
        <span className="print:hidden">
          <WhatIsThis term="banner" />
        </span>
      </span>
      <span>
        {banner.isHighest
          ? t`The highest label of what is marked.`
          : t`The labels of what is marked. This gateway does not know which is the highest.`}
      </span>
    </section>
  );
}
