import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { draftQuery } from "@/api/drafts";
import { isFile } from "@/api/files";
import { Loading } from "@/app/Loading";
import { lazyWithPreload } from "@/lib/lazy-with-preload";

const TextPage = lazyWithPreload(async () => (await import("@/features/text/TextPage")).TextPage, Loading);
const FilePage = lazyWithPreload(async () => (await import("@/features/files/FilePage")).FilePage, Loading);

// Most documents are texts: where a page like this one may be wanted, its editor is loaded along.
void TextPage.load();

const route = getRouteApi("/in/documents/$id");

/** A text opens in the editor, a file of any other format in the file. Of one document that never changes. */
export function DocumentPage() {
  const { id } = route.useParams();
  const { data: draft, errorUpdateCount } = useQuery(draftQuery(id));
  // While what failed is asked for again, the page that asks must stay.
  if (!draft && errorUpdateCount === 0) return <Loading />;
  // What could not be loaded the editor's page asks for again, and says why.
  return draft && isFile(draft) ? <FilePage key={id} id={id} /> : <TextPage />;
}
