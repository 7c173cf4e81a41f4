import { Inbox } from "lucide-react";
import { useSession } from "@/app/session";
import { CopyButton } from "@/components/ui/CopyButton";

/** What a recipient without documents sees: what senders have to know, and how the documents will look. */
export function EmptyInbox() {
  const { gateway, person } = useSession();
  return (
    <section aria-labelledby="empty-inbox" className="sheet max-w-3xl">
      <Inbox aria-hidden className="size-8 stroke-[1.25] text-quiet" />
      <h2 id="empty-inbox" className="mt-3 font-serif text-xl">
        Nothing has come in yet
      </h2>
      <p className="mt-2 max-w-prose text-quiet">
        What others address to you appears here by itself. They choose this gateway and your name there, so tell them
        both:
      </p>
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4">
        <dt className="text-quiet text-sm">Gateway</dt>
        <dd className="wrap-anywhere flex items-center gap-1 font-medium">
          {gateway} <CopyButton text={gateway} what="gateway's name" />
        </dd>
        <dt className="text-quiet text-sm">Name</dt>
        <dd className="wrap-anywhere flex items-center gap-1 font-medium">
          {person.name} <CopyButton text={person.name} what="name" />
        </dd>
      </dl>
      <p className="mt-4 max-w-prose text-quiet">
        {person.cleared ? (
          <>
            You are cleared: you read all of a document, and <mark className="classified">what is classified</mark> is
            marked.
          </>
        ) : (
          <>
            You are not cleared: a bar <span role="img" aria-label="withheld" className="withheld" /> stands where text
            is withheld.
          </>
        )}
      </p>
    </section>
  );
}
