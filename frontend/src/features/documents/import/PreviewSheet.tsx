import { Trans } from "@lingui/react/macro";
import type { Preview } from "./preview";

/** The first lines of a file, as one way of importing shows them. */
export function PreviewSheet({ preview }: { preview: Preview | null }) {
  if (!preview) return null;
  const { segments, more } = preview;
  const empty = segments.every(({ text, classified }) => text === "" && !classified);
  return (
    <span className="document block max-h-44 overflow-hidden rounded-sm border border-line bg-paper px-3 py-2 text-sm! leading-normal!">
      {empty && (
        <span className="text-quiet">
          <Trans>Empty</Trans>
        </span>
      )}
      {segments.map(({ text, classified }, index) =>
        classified ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a preview never changes
          <mark key={index} className="classified">
            {text}
          </mark>
        ) : (
          text
        ),
      )}
      {more && <span className="text-quiet"> …</span>}
    </span>
  );
}
