/** The redacted edition of a file that is to be sent: a file of its own, for recipients who are not cleared. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";

/** `note`: why there is none. Both are null for a text, whose redacted edition follows from its plain part. */
export type RedactedShown = components["schemas"]["RedactedShown"];

/** What is sent with a document. It is made now, unless it was; a document never changes, nor does its edition. */
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
