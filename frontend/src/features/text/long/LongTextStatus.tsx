import { t } from "@lingui/core/macro";
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
          {t`Line ${{ line: numberText(status.line) }} of ${{ lines: numberText(status.lines) }}, column ${{ column: numberText(status.column) }}`}
        </span>
      )}
      {!small && <Bytes value={bytes} className="whitespace-nowrap" />}
      {status.typesClassified && <TypingIsClassified />}
    </>
  );
}
