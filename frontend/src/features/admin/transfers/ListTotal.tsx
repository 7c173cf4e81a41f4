import { plural, t } from "@lingui/core/macro";
import { sizeText } from "@/lib/sizes";

/** How many documents a list has, on all of its pages, and their size together. */
export function ListTotal({ documents, bytes }: { documents: number; bytes: number }) {
  const size = sizeText(bytes);
  return <span>{t`${plural(documents, { one: "# document", other: "# documents" })}, ${size} in total`}</span>;
}
