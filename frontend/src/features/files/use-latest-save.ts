import { useEffect } from "react";
import { useSaveState } from "../workspace/saving/saver-context";
import { useOpenFile } from "./open-file";

/** Saves the file when a dialog that shows the saved file opens. Returns whether everything is saved. */
export function useLatestSave(open: boolean): boolean {
  const { saver } = useOpenFile();
  useEffect(() => {
    if (open) void saver.flush();
  }, [open, saver]);
  return useSaveState().phase.is === "saved";
}
