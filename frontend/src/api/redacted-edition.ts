/** The redacted edition of a file that is to be sent. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";

/**
 * The redacted edition of a file that is to be sent: its size, or a note that says why there is none. Both are null for
 * a text. The gateway makes it on the first request; it never changes.
 */
export const redactedQuery = (documentId: string) =>
  queryOptions({
    queryKey: ["content", "redacted edition", documentId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/v1/documents/{document_id}/redacted", { params: { path: { document_id: documentId } }, signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
