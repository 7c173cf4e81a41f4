import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { useSession } from "@/app/session";
import { LoadError } from "@/features/text/tiptap/engine/load";
import { draftSaver } from "@/features/workspace/saving/draft-saver";
import { markedText, type Save, type Saver } from "@/features/workspace/saving/saver";
import { SaverProvider, saveNow, useSaverAtWork } from "@/features/workspace/saving/saving";
import { whyNotLarge } from "@/marked-text/holds";
import { LargeEditor } from "./engine/editor";
import { Snapshot } from "./engine/snapshot";
import { LargeDesk } from "./LargeDesk";

interface Made {
  readonly editor: LargeEditor;
  readonly saver: Saver;
}

/** A text that is too long for the editor of pages: the same marks and commands on a sheet that only lays out what is seen. */
export function LargeDocument({ save }: { save: Save }) {
  const client = useQueryClient();
  const { person } = useSession();
  const [made, setMade] = useState<Made | null>(null);
  const make = useEffectEvent((): Made => {
    const editor = new LargeEditor(save.marked, "Text of the document");
    const saver = draftSaver(client, person.id, save, {
      text: () => editor.snapshot(),
      opened: editor.snapshot(),
      body: (text) => (text instanceof Snapshot ? text.blob() : markedText(text)),
      put: (marked) => {
        const why = whyNotLarge(marked, 0);
        if (why !== null) throw new LoadError(why);
        editor.replace(marked);
      },
    });
    return { editor, saver };
  });
  useEffect(() => {
    const made = make();
    setMade(made);
    // It may hold a hundred megabytes, and the browser holds it by what it listens to.
    return () => made.editor.destroy();
  }, []);
  if (!made) return null;
  return (
    <SaverProvider value={made.saver}>
      <AtWork {...made} save={save} />
    </SaverProvider>
  );
}

function AtWork({ editor, saver, save }: Made & { save: Save }) {
  useSaverAtWork(save.draft.id, saver);
  useEffect(() => {
    const stops = [editor.onChange(() => saver.edited()), editor.onBlur(() => saveNow(saver))];
    return () => {
      for (const stop of stops) stop();
    };
  }, [editor, saver]);
  return <LargeDesk editor={editor} save={save} />;
}
