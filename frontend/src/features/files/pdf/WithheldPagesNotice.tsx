import { t } from "@lingui/core/macro";
import { Info, X } from "lucide-react";
import { IconButton } from "@/components/ui/IconButton";
import { useDismissed } from "@/lib/use-dismissed";
import { useSession } from "@/session/session";

/** Says before the first mark what a mark does to its page. Each person can dismiss it. */
export function WithheldPagesNotice() {
  const { person } = useSession();
  const [dismissed, dismiss] = useDismissed("pdf-pages", person.id);
  if (dismissed) return null;
  return (
    <section
      aria-label={t`About marks in a PDF`}
      className="flex items-start gap-3 rounded-md border border-edge/50 bg-paper py-1 pr-1 pl-4 text-sm"
    >
      <Info aria-hidden className="mt-2 size-4 shrink-0 text-quiet" />
      <p className="min-w-0 flex-1 py-1.5">{t`A marked word classifies its whole page: the plain channel does not carry the page. In the redacted edition, a bar replaces the word. If the word cannot be removed safely, the redacted edition withholds the page and says why.`}</p>
      <IconButton label={t`Dismiss`} icon={<X />} size="sm" side="left" onClick={dismiss} />
    </section>
  );
}
