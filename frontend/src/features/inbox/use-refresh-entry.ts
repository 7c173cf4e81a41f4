import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { entryQuery } from "@/api/inbox";
import { Problem } from "@/api/problem";
import type { EntryShown } from "@/api/types";

/** Reloads the entry after its content was `loaded`, which marks it as read, or was refused. */
export function useRefreshEntry(entry: EntryShown, loaded: boolean, error: unknown): void {
  const client = useQueryClient();
  const refused = error instanceof Problem && (error.status === 403 || error.status === 404);
  useEffect(() => {
    // The reloaded entry says why.
    if (refused) void client.invalidateQueries({ queryKey: entryQuery(entry.id).queryKey });
  }, [refused, client, entry.id]);

  const newlyRead = loaded && entry.read_at === null;
  useEffect(() => {
    if (newlyRead) void client.invalidateQueries({ queryKey: ["inbox"] });
  }, [newlyRead, client]);
}
