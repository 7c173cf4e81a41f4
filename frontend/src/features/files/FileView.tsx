import type { FileDraft } from "@/api/files";
import { BytesView } from "./bytes/BytesView";
import { ContentView } from "./ContentView";

/** The file in the view for its format. */
export function FileView({ draft }: { draft: FileDraft }) {
  return draft.format === "bytes" ? <BytesView size={draft.document_bytes} /> : <ContentView />;
}
