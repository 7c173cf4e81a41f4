import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { importPeople, MAX_IMPORT_BYTES, type NewPersonLink, peopleQuery, previewImport } from "@/api/people";
import { sessionQuery } from "@/api/session";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { toast } from "@/components/ui/toasts";
import { countText } from "@/lib/prose";
import { ImportPreview } from "./ImportPreview";
import { countOf } from "./import-rows";
import { NewLinksDialog } from "./NewLinksDialog";

/** Imports people from a CSV file, after a preview; then shows the links of the new ones. */
export function ImportPeopleDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const [links, setLinks] = useState<readonly NewPersonLink[]>([]);
  const looking = useMutation({
    mutationFn: (chosen: File) => previewImport(chosen),
    onSuccess: ({ rows }) => announce(`Preview of ${countText(rows.length, "person", "people")}`),
  });
  const importing = useMutation({
    mutationFn: ({ chosen, digest }: { chosen: File; digest: string }) => importPeople(chosen, digest),
    onSuccess: ({ rows, links }) => {
      const changed = countText(countOf(rows, "changed"), "person", "people");
      toast(`${countText(countOf(rows, "new"), "person", "people")} added, ${changed} changed`);
      void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
      // Admins may change their own account.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      setLinks(links);
      if (links.length === 0) onClose();
    },
    gcTime: 0,
  });
  if (links.length > 0) return <NewLinksDialog links={links} onClose={onClose} />;

  const preview = looking.data;
  const changes = preview ? countOf(preview.rows, "new") + countOf(preview.rows, "changed") : 0;
  const ready = preview !== undefined && changes > 0 && countOf(preview.rows, "refused") === 0;
  const choose = () => chooser.current?.click();
  return (
    <Dialog
      open
      width="lg"
      onOpenChange={(open) => open || importing.isPending || onClose()}
      title="Import people"
      description={file ? file.name : "From a CSV file. You see what would change before anything happens."}
      footer={
        <>
          <Button onClick={onClose} disabled={importing.isPending}>
            Cancel
          </Button>
          <Button tone={preview ? "quiet" : "primary"} busy={looking.isPending} onClick={choose}>
            {file ? "Choose another file" : "Choose file"}
          </Button>
          {preview && (
            <Button
              tone="primary"
              disabled={!ready}
              busy={importing.isPending}
              onClick={() => file && importing.mutate({ chosen: file, digest: preview.digest })}
            >
              {changes > 0 ? `Import ${countText(changes, "person", "people")}` : "Import"}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <input
          ref={chooser}
          type="file"
          hidden
          accept=".csv,text/csv"
          aria-label="CSV file"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            // So that the same file can be chosen again after it was corrected.
            currentTarget.value = "";
            if (!chosen) return;
            setFile(chosen);
            importing.reset();
            looking.reset();
            // The gateway would end the connection before it could say why.
            if (chosen.size <= MAX_IMPORT_BYTES) looking.mutate(chosen);
          }}
        />
        {file && file.size > MAX_IMPORT_BYTES && (
          <p role="alert" className="text-danger text-sm">
            This file is larger than 1 MB. Divide it into parts.
          </p>
        )}
        {looking.error && <ErrorPanel problem={looking.error} />}
        {importing.error && <ErrorPanel problem={importing.error} />}
        {preview ? <ImportPreview rows={preview.rows} /> : <Columns />}
      </div>
    </Dialog>
  );
}

/** The columns that such a file has. */
function Columns() {
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p>
        The first row names the columns, in any order. Only <code>login</code> must be there. A column that is missing
        changes nothing.
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {COLUMNS.map(([name, text]) => (
          <div key={name} className="contents">
            <dt>
              <code>{name}</code>
            </dt>
            <dd className="text-quiet">{text}</dd>
          </div>
        ))}
      </dl>
      <p className="text-quiet">
        Export saves the people of this gateway as such a file. Passwords are never in it: new people set their own with
        a one-time link.
      </p>
    </div>
  );
}

const COLUMNS = [
  ["login", "An unknown login is a new person."],
  ["name", "The name to show."],
  ["unit", "For example, a department."],
  ["mail", "The e-mail address for notifications."],
  ["roles", "author, recipient and admin, with blanks between. At least one."],
  ["cleared", "yes or no: whether they can read classified content."],
  ["disabled", "yes or no."],
] as const;
