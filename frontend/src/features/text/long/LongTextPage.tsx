import { t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { Save, Saver } from "@/features/workspace/saving/saver";
import { SaverProvider, saveNow, useSaverAtWork } from "@/features/workspace/saving/saver-context";
import { LoadError, whyNotLong } from "@/marked-text/limits";
import { useSession } from "@/session/session";
import { textSaver } from "../text-saver";
import { LongTextEditor } from "./engine/editor";
import { Snapshot } from "./engine/snapshot";
import { LongTextDocument } from "./LongTextDocument";

interface Made {
  readonly editor: LongTextEditor;
  readonly saver: Saver<Snapshot | string>;
}

/** A text that is too long for TipTap: the same marks and commands in an editor that lays out only the visible part. */
export function LongTextPage({ save }: { save: Save<string> }) {
  const client = useQueryClient();
  const { person } = useSession();
  const [made, setMade] = useState<Made | null>(null);
  const make = useEffectEvent((): Made => {
    const editor = new LongTextEditor(save.content, t`Text of the document`);
    const saver = textSaver<Snapshot>(client, person.id, save, {
      content: () => editor.snapshot(),
      opened: editor.snapshot(),
      equals: isSame,
      marked: markedText,
      body: (text) => (text instanceof Snapshot ? text.blob() : text),
      replace: (marked) => {
        const why = whyNotLong(marked, 0);
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

function AtWork({ editor, saver, save }: Made & { save: Save<string> }) {
  useSaverAtWork(save.draft.id, saver);
  useEffect(() => {
    const stops = [editor.onChange(() => saver.edited()), editor.onBlur(() => saveNow(saver))];
    return () => {
      for (const stop of stops) stop();
    };
  }, [editor, saver]);
  return <LongTextDocument editor={editor} save={save} />;
}

function isSame(one: Snapshot | string, other: Snapshot | string): boolean {
  if (one instanceof Snapshot && other instanceof Snapshot) return one.equals(other);
  return markedText(one) === markedText(other);
}

function markedText(text: Snapshot | string): string {
  return text instanceof Snapshot ? text.marked() : text;
}
