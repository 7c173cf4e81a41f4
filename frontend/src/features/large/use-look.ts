/** Has the gateway look through a long text for leaks: when it is asked for, since that takes it a second and more. */
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { checkDraft, type DocumentChecked } from "@/api/findings";
import { Problem } from "@/api/problem";
import { useSaver } from "@/features/editor/saving";
import type { LargeEditor } from "@/large/editor";
import { Look } from "./look";

export interface Looked {
  readonly look: Look;
  readonly checked: DocumentChecked;
}

export function useLook(id: string, editor: LargeEditor) {
  const saver = useSaver();
  const last = useRef<Look | null>(null);
  const looking = useMutation({
    mutationFn: async (): Promise<Looked> => {
      const { phase, revision } = await saver.flush();
      if (phase.is !== "saved")
        throw new Problem(0, "It looks at what is saved, and the latest changes could not be saved.");
      last.current?.end();
      const look = new Look(editor);
      last.current = look;
      const checked = await checkDraft(id, new AbortController().signal);
      if (checked.revision !== revision)
        throw new Problem(0, "The document was saved elsewhere meanwhile. Look again.");
      return { look, checked };
    },
  });
  useEffect(() => () => last.current?.end(), []);
  return looking;
}
