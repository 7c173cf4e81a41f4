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
import { MOST_SHORT_BYTES, whyNotLong } from "@/marked-text/limits";
import type { Save } from "../workspace/saving/saver";
import { SaverProvider } from "../workspace/saving/saving";
import { ReadOnlyDocument } from "../workspace/shell/ReadOnlyDocument";
import { LongTextPage, openingQuery } from "./open-document";
import { cannotHold } from "./text-saver";
import { whyNotShort } from "./tiptap/engine/load";
import { ShortTextDocument } from "./tiptap/ShortTextDocument";
import { newWorkbench, useAtWork, type Workbench, WorkbenchProvider } from "./tiptap/workbench";

const route = getRouteApi("/in/documents/$id");

/** A text, to write, mark and send. */
export function TextPage() {
  const { id } = route.useParams();
  return <OneDocument key={id} id={id} />;
}

function OneDocument({ id }: { id: string }) {
  const client = useQueryClient();
  const { status: standing } = useSession();
  const { data: opening, error, refetch } = useQuery(openingQuery(client, id));
  const signedOut = error instanceof Problem && error.status === 401;
  useEffect(() => {
    if (signedOut && standing.is === "held") void refetch();
  }, [signedOut, standing.is, refetch]);

  if (opening) return opening.content === null ? <ReadOnlyDocument {...opening} /> : <Editable save={opening} />;
  return (
    <>
      <PageHeader title="Document" above={<Link to="/documents">Documents</Link>} />
      {error ? <NotOpened error={error} onRetry={() => void refetch()} /> : <Opening />}
    </>
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
      return newWorkbench(client, person.id, save);
    } catch (error) {
      if (!cannotHold(error)) throw error;
      return { why: whyNotShort(save.content) ?? error.message };
    }
  });
  return "why" in made ? <ReadOnlyDocument {...save} why={made.why} /> : <AtWork workbench={made} save={save} />;
}

function AtWork({ workbench, save }: { workbench: Workbench; save: Save<string> }) {
  useAtWork(workbench);
  return (
    <WorkbenchProvider value={workbench}>
      <SaverProvider value={workbench.saver}>
        <ShortTextDocument save={save} />
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
      title="Document not found"
      action={
        <Link to="/documents" className={buttonClass()}>
          Go to documents
        </Link>
      }
    >
      It was deleted, or it belongs to someone else. You can only see your own documents.
    </EmptyState>
  );
}
