import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { importPeople, MAX_IMPORT_BYTES, type NewPersonLink, peopleQuery, previewImport } from "@/api/people";
import { sessionQuery } from "@/api/session";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { toast } from "@/components/ui/toasts";
import { ImportPreview } from "./ImportPreview";
import { countOf } from "./import-rows";
import { NewLinksDialog } from "./NewLinksDialog";

/** Imports people from a CSV file, after a preview; then shows the links of the new ones. */
export function ImportPeopleDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const chooseButton = useRef<HTMLButtonElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const [links, setLinks] = useState<readonly NewPersonLink[]>([]);
  const examining = useMutation({
    mutationFn: (chosen: File) => previewImport(chosen),
    onSuccess: ({ rows: { length } }) =>
      announce(plural(length, { one: "Preview of # person", other: "Preview of # people" })),
  });
  const importing = useMutation({
    mutationFn: ({ chosen, digest }: { chosen: File; digest: string }) => importPeople(chosen, digest),
    onSuccess: ({ rows, links }) => {
      const added = countOf(rows, "new");
      const changed = countOf(rows, "changed");
      const addedText = plural(added, { one: "# person added", other: "# people added" });
      const changedText = plural(changed, { one: "# person changed", other: "# people changed" });
      // A toast would cover the buttons of the dialog with the links.
      if (links.length === 0)
        toast(added > 0 ? addedText : changedText, added > 0 && changed > 0 ? changedText : undefined);
      void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
      // Admins may change their own account.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      setLinks(links);
      if (links.length === 0) onClose();
    },
    gcTime: 0,
  });
  if (links.length > 0) return <NewLinksDialog links={links} onClose={onClose} />;

  const preview = examining.data;
  const changes = preview ? countOf(preview.rows, "new") + countOf(preview.rows, "changed") : 0;
  const ready = preview !== undefined && changes > 0 && countOf(preview.rows, "refused") === 0;
  const choose = () => chooser.current?.click();
  return (
    <Dialog
      open
      width="lg"
      onOpenChange={(open) => open || importing.isPending || onClose()}
      title={t`Import people`}
      initialFocus={chooseButton}
      description={file ? file.name : t`From a CSV file. You see what would change before anything happens.`}
      footer={
        <>
          <Button onClick={onClose} disabled={importing.isPending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button ref={chooseButton} tone={preview ? "quiet" : "primary"} busy={examining.isPending} onClick={choose}>
            {file ? t`Choose another file` : t`Choose file`}
          </Button>
          {preview && (
            <Button
              tone="primary"
              disabled={!ready}
              busy={importing.isPending}
              onClick={() => file && importing.mutate({ chosen: file, digest: preview.digest })}
            >
              {ready ? plural(changes, { one: "Import # person", other: "Import # people" }) : t`Import`}
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
          aria-label={t`CSV file`}
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            // So that the same file can be chosen again after it was corrected.
            currentTarget.value = "";
            if (!chosen) return;
            setFile(chosen);
            importing.reset();
            examining.reset();
            // The gateway would end the connection before it could say why.
            if (chosen.size <= MAX_IMPORT_BYTES) examining.mutate(chosen);
          }}
        />
        {file && file.size > MAX_IMPORT_BYTES && (
          <p role="alert" className="text-danger text-sm">
            <Trans>This file is larger than 1 MB. Divide it into parts.</Trans>
          </p>
        )}
        {examining.error && <ErrorPanel problem={examining.error} />}
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
        <Trans>
          The first row names the columns, in any order. Only <code>login</code> must be there. A column that is missing
          changes nothing.
        </Trans>
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
        <Trans>
          Export saves the people of this gateway as such a file. Passwords are never in it: new people set their own
          with a one-time link.
        </Trans>
      </p>
    </div>
  );
}

const COLUMNS = [
  ["login", t`An unknown login is a new person.`],
  ["name", t`The name to show.`],
  ["unit", t`For example, a department.`],
  ["mail", t`The e-mail address for notifications.`],
  ["roles", t`author, recipient and admin, with blanks between. At least one.`],
  ["cleared", t`yes or no: whether they can read classified content.`],
  ["disabled", t`yes or no.`],
] as const;
