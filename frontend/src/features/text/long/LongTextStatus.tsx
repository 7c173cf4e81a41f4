import { Trans } from "@lingui/react/macro";
import { useSyncExternalStore } from "react";
import { Bytes } from "@/components/ui/Bytes";
import { numberText } from "@/lib/numbers";

import { TypingIsClassified } from "../TypingIsClassified";
import type { LongTextEditor } from "./engine/editor";

/** Where the cursor is, and whether typing there is classified. `bytes`: the size of the latest save. */
export function LongTextStatus({ editor, small, bytes }: { editor: LongTextEditor; small: boolean; bytes: number }) {
  const status = useSyncExternalStore(editor.subscribe, editor.status);
  return (
    <>
      {!small && (
        <span className="whitespace-nowrap tabular-nums">
          <Trans>
            Line {numberText(status.line)} of {numberText(status.lines)}, column {numberText(status.column)}
          </Trans>
        </span>
      )}
      {!small && <Bytes value={bytes} className="whitespace-nowrap" />}
      {status.typesClassified && <TypingIsClassified />}
    </>
  );
}
