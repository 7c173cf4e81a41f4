import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { draftSource, outlineQuery } from "@/api/file-source";
import { useSession } from "@/session/session";
import { SaverProvider } from "../workspace/saving/saver-context";
import { OpeningDocument } from "../workspace/shell/OpeningDocument";
import { FileDocument } from "./FileDocument";
import { loadMarks, type Opened, OpenFile, OpenFileProvider, useAtWork } from "./open-file";

/** Never cached: somebody may have marked the file before the next visit. */
const openedQuery = (client: QueryClient, id: string) =>
  queryOptions({
    queryKey: ["content", "file", id],
    queryFn: async ({ signal }): Promise<Opened> => {
      const [latest, outline] = await Promise.all([
        loadMarks(client, id, signal),
        client.fetchQuery(outlineQuery(draftSource(id))),
      ]);
      return { ...latest, outline };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });

/** A file that is not text, to mark and send. */
export function FilePage({ id }: { id: string }) {
  const query = useQuery(openedQuery(useQueryClient(), id));
  return <OpeningDocument query={query}>{(opened) => <AtWork opened={opened} />}</OpeningDocument>;
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
