import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { draftQuery } from "@/api/drafts";
import { isFile } from "@/api/files";
import { Loading } from "@/components/Loading";
import { lazyWithPreload } from "@/components/lazy-with-preload";
import { useImport } from "@/features/documents/import/use-import";

const TextPage = lazyWithPreload(async () => (await import("@/features/text/TextPage")).TextPage, Loading);
const FilePage = lazyWithPreload(async () => (await import("@/features/files/FilePage")).FilePage, Loading);

// Most documents are texts, so the text editor is preloaded.
void TextPage.load();

const route = getRouteApi("/in/documents/$id");

/** Opens a text in the text editor, and a file of any other format in the file editor. */
export function DocumentRoute() {
  const { id } = route.useParams();
  const { data: draft, errorUpdateCount } = useQuery(draftQuery(id));
  const { importing } = useImport();
  // The page with the retry button must stay while it retries.
  if (!draft && errorUpdateCount === 0) return <Loading />;
  // TextPage reports a failure and retries.
  return (
    <>
      {draft && isFile(draft) ? <FilePage key={id} id={id} /> : <TextPage />}
      {importing}
    </>
  );
}
