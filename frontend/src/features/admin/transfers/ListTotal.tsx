import { plural, t } from "@lingui/core/macro";
import { numberText } from "@/lib/numbers";
import { sizeText } from "@/lib/sizes";

/** How many documents a list has, on all of its pages, and their size together; null of a list with more of them. */
export function ListTotal({ documents, bytes }: { documents: number; bytes: number | null }) {
  if (bytes === null) {
    const most = numberText(documents);
    return <span>{t`At least ${most} documents`}</span>;
  }
  const size = sizeText(bytes);
  return <span>{t`${plural(documents, { one: "# document", other: "# documents" })}, ${size} in total`}</span>;
}
