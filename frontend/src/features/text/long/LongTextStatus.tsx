import { useSyncExternalStore } from "react";
import { Bytes } from "@/components/ui/Bytes";

import { TypingIsClassified } from "../TypingIsClassified";
import type { LongTextEditor } from "./engine/editor";

/** Where the cursor is, and whether typing there is classified. `bytes`: the size of the latest save. */
export function LongTextStatus({ editor, small, bytes }: { editor: LongTextEditor; small: boolean; bytes: number }) {
  const status = useSyncExternalStore(editor.subscribe, editor.status);
  return (
    <>
      {!small && (
        <span className="whitespace-nowrap tabular-nums">
          Line {status.line.toLocaleString("en")} of {status.lines.toLocaleString("en")}, column{" "}
          {status.column.toLocaleString("en")}
        </span>
      )}
      {!small && <Bytes value={bytes} className="whitespace-nowrap" />}
      {status.typesClassified && <TypingIsClassified />}
    </>
  );
}
