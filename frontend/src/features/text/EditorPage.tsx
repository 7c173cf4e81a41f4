import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FileQuestionMark } from "lucide-react";
import { useEffect, useState } from "react";
import { Problem } from "@/api/problem";
import { useSession } from "@/app/session";
import { buttonClass } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { whyNotLarge } from "@/marked-text/holds";
import { MOST_BYTES } from "@/marked-text/most-bytes";
import { cannotHold } from "../workspace/saving/draft-saver";
import type { Save } from "../workspace/saving/saver";
import { SaverProvider } from "../workspace/saving/saving";
import { ReadOnlyDocument } from "../workspace/shell/ReadOnlyDocument";
import { LargeDocument, openingQuery } from "./opening";
import { Desk } from "./tiptap/Desk";
import { canHold } from "./tiptap/engine/load";
import { newWorkbench, useAtWork, type Workbench, WorkbenchProvider } from "./tiptap/workbench";

const route = getRouteApi("/in/documents/$id");

/** One document, to write, mark and send. */
export function EditorPage() {
  const { id } = route.useParams();
  return <OneDocument key={id} id={id} />;
}

function OneDocument({ id }: { id: string }) {
  const client = useQueryClient();
  const { standing } = useSession();
  const { data: opening, error, refetch } = useQuery(openingQuery(client, id));
  const signedOut = error instanceof Problem && error.status === 401;
  useEffect(() => {
    if (signedOut && standing.is === "held") void refetch();
  }, [signedOut, standing.is, refetch]);

  if (opening) return opening.marked === null ? <ReadOnlyDocument {...opening} /> : <Editable save={opening} />;
  return (
    <>
      <PageHeader title="Document" above={<Link to="/documents">Documents</Link>} />
      {error ? <NotOpened error={error} onRetry={() => void refetch()} /> : <Opening />}
    </>
  );
}

/** No editor at all if the document does not get into one just as it is: then nothing of it can be saved. */
function Editable({ save }: { save: Save }) {
  return save.draft.document_bytes > MOST_BYTES ? <Long save={save} /> : <Short save={save} />;
}

function Long({ save }: { save: Save }) {
  const [why] = useState(() => whyNotLarge(save.marked, save.draft.document_bytes));
  if (why !== null) return <ReadOnlyDocument {...save} why={why} />;
  return <LargeDocument save={save} />;
}

function Short({ save }: { save: Save }) {
  const client = useQueryClient();
  const { person } = useSession();
  const [made] = useState(() => {
    try {
      return newWorkbench(client, person.id, save);
    } catch (error) {
      if (!cannotHold(error)) throw error;
      const held = canHold(save.marked);
      return { why: held.holds ? error.message : held.why };
    }
  });
  return "why" in made ? <ReadOnlyDocument {...save} why={made.why} /> : <AtWork workbench={made} save={save} />;
}

function AtWork({ workbench, save }: { workbench: Workbench; save: Save }) {
  useAtWork(workbench);
  return (
    <WorkbenchProvider value={workbench}>
      <SaverProvider value={workbench.saver}>
        <Desk save={save} />
      </SaverProvider>
    </WorkbenchProvider>
  );
}

function Opening() {
  return (
    <div className="sheet mx-auto max-w-[52rem]">
      <Skeleton label="Opening the document" lines={8} />
    </div>
  );
}

function NotOpened({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof Problem) || error.status !== 404) {
    return <ErrorPanel title="The document could not be opened." problem={error} onRetry={onRetry} />;
  }
  return (
    <EmptyState
      icon={<FileQuestionMark />}
      title="There is no such document"
      action={
        <Link to="/documents" className={buttonClass()}>
          To the documents
        </Link>
      }
    >
      It was deleted, or it is somebody else’s: everybody sees only their own.
    </EmptyState>
  );
}
