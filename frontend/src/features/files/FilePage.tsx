import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { outlineQuery } from "@/api/files";
import { Problem } from "@/api/problem";
import { useSession } from "@/app/session";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { SaverProvider } from "../workspace/saving/saving";
import { FileDocument } from "./FileDocument";
import { loadMarks, type Opened, OpenFile, OpenFileProvider, useAtWork } from "./open-file";

/** Never kept: the next visit loads it anew, since it may have been marked elsewhere. */
const openedQuery = (client: QueryClient, id: string) =>
  queryOptions({
    queryKey: ["content", "file", id],
    queryFn: async ({ signal }): Promise<Opened> => {
      const [latest, outline] = await Promise.all([loadMarks(client, id, signal), client.fetchQuery(outlineQuery(id))]);
      return { ...latest, outline };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });

/** A file of a format of its own, to mark and send. */
export function FilePage({ id }: { id: string }) {
  const client = useQueryClient();
  const { status: standing } = useSession();
  const { data: opened, error, refetch } = useQuery(openedQuery(client, id));
  const signedOut = error instanceof Problem && error.status === 401;
  useEffect(() => {
    if (signedOut && standing.is === "held") void refetch();
  }, [signedOut, standing.is, refetch]);

  if (opened) return <AtWork opened={opened} />;
  return (
    <>
      <PageHeader title="Document" above={<Link to="/documents">Documents</Link>} />
      {error ? (
        <ErrorPanel title="The document could not be opened." problem={error} onRetry={() => void refetch()} />
      ) : (
        <div className="sheet mx-auto max-w-[52rem]">
          <Skeleton label="Opening the document" lines={8} />
        </div>
      )}
    </>
  );
}

function AtWork({ opened }: { opened: Opened }) {
  const client = useQueryClient();
  const { person } = useSession();
  const [file] = useState(() => new OpenFile(client, person.id, opened));
  useAtWork(file);
  return (
    <OpenFileProvider value={file}>
      <SaverProvider value={file.saver}>
        <FileDocument first={opened.draft} />
      </SaverProvider>
    </OpenFileProvider>
  );
}
