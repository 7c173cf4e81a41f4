import { useSyncExternalStore } from "react";
import { Bytes } from "@/components/ui/Bytes";
import { SaveWords } from "@/features/workspace/saving/SaveWords";
import { TypingIsClassified } from "../TypingIsClassified";
import type { LargeEditor } from "./engine/editor";

/** Where the cursor is, whether typing there is classified, and whether all is saved. `bytes`: the size of the latest save. */
export function LargeStatus({ editor, small, bytes }: { editor: LargeEditor; small: boolean; bytes: number }) {
  const standing = useSyncExternalStore(editor.subscribe, editor.standing);
  return (
    <div className="flex min-h-8 items-center gap-x-5 border-line border-t text-quiet text-xs">
      {!small && (
        <span className="whitespace-nowrap tabular-nums">
          Line {standing.line.toLocaleString("en")} of {standing.lines.toLocaleString("en")}, column{" "}
          {standing.column.toLocaleString("en")}
        </span>
      )}
      {!small && <Bytes value={bytes} className="whitespace-nowrap" />}
      {standing.typesClassified && <TypingIsClassified />}
      <span className="ml-auto flex min-w-0 items-center text-right">
        <SaveWords />
      </span>
    </div>
  );
}
