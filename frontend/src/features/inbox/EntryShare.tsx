import type { EntryShown } from "@/api/types";
import { shareOf, shareText } from "./entry";

/** How much of a document is classified, as a bar in true proportion and in figures; or what the uncleared get. */
export function EntryShare({ entry }: { entry: EntryShown }) {
  const share = shareOf(entry);
  if (share === null) {
    return (
      <span className="text-quiet text-sm">
        {entry.editions.length > 0 ? "Redacted for you" : "Nothing to read for you"}
      </span>
    );
  }
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <div aria-hidden className="flex h-1.5 gap-px overflow-hidden rounded-sm">
        {share > 0 && <span className="bar-secure min-w-1" style={{ width: `${share * 100}%` }} />}
        {share < 1 && <span className="bar-plain min-w-1 flex-1" />}
      </div>
      <span className="text-quiet">{share === 0 ? "Nothing classified" : shareText(entry, " classified")}</span>
    </div>
  );
}
