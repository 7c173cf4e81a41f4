import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { MOST_SHORT_BYTES, whyNotLong } from "@/marked-text/limits";
import { useSession } from "@/session/session";
import type { Save } from "../workspace/saving/saver";
import { SaverProvider } from "../workspace/saving/saver-context";
import { OpeningDocument } from "../workspace/shell/OpeningDocument";
import { ReadOnlyDocument } from "../workspace/shell/ReadOnlyDocument";
import { LongTextPage, openingQuery } from "./open-document";
import { cannotHold } from "./text-saver";
import { whyNotShort } from "./tiptap/engine/load";
import { type OpenText, OpenTextProvider, openText, useAtWork } from "./tiptap/open-text";
import { ShortTextDocument } from "./tiptap/ShortTextDocument";

const route = getRouteApi("/in/documents/$id");

/** A text, to write, mark and send. */
export function TextPage() {
  const { id } = route.useParams();
  return <OneDocument key={id} id={id} />;
}

function OneDocument({ id }: { id: string }) {
  const query = useQuery(openingQuery(useQueryClient(), id));
  return (
    <OpeningDocument query={query}>
      {(opened) => (opened.content === null ? <ReadOnlyDocument {...opened} /> : <Editable save={opened} />)}
    </OpeningDocument>
  );
}

/** The document is read-only unless an editor can hold it unchanged. */
function Editable({ save }: { save: Save<string> }) {
  return save.draft.document_bytes > MOST_SHORT_BYTES ? <Long save={save} /> : <Short save={save} />;
}

function Long({ save }: { save: Save<string> }) {
  const [why] = useState(() => whyNotLong(save.content, save.draft.document_bytes));
  if (why !== null) return <ReadOnlyDocument {...save} why={why} />;
  return <LongTextPage save={save} />;
}

function Short({ save }: { save: Save<string> }) {
  const client = useQueryClient();
  const { person } = useSession();
  const [made] = useState(() => {
    try {
      return openText(client, person.id, save);
    } catch (error) {
      if (!cannotHold(error)) throw error;
      return { why: whyNotShort(save.content) ?? error.message };
    }
  });
  return "why" in made ? <ReadOnlyDocument {...save} why={made.why} /> : <AtWork text={made} save={save} />;
}

function AtWork({ text, save }: { text: OpenText; save: Save<string> }) {
  useAtWork(text);
  return (
    <OpenTextProvider value={text}>
      <SaverProvider value={text.saver}>
        <ShortTextDocument save={save} />
      </SaverProvider>
    </OpenTextProvider>
  );
}
