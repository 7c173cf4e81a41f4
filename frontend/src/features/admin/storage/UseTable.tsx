import { plural, t } from "@lingui/core/macro";
import type { StorageShown } from "@/api/storage";
import { Bytes } from "@/components/ui/Bytes";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { sizeText } from "@/lib/sizes";

interface Row {
  id: string;
  name: string;
  count: string;
  bytes: number | null;
  note: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { id: "name", header: t`What`, names: true, cell: ({ name }) => name },
  { id: "count", header: t`Number`, cell: ({ count }) => count },
  { id: "size", header: t`Size`, align: "end", cell: ({ bytes }) => (bytes === null ? "–" : <Bytes value={bytes} />) },
  { id: "note", header: t`Details`, cell: ({ note }) => <span className="text-quiet">{note}</span> },
];

/** What takes space: documents, the database and what is in it, and what waits to be completed or removed. */
export function UseTable({ storage }: { storage: StorageShown }) {
  return <DataTable caption={t`What takes space`} columns={COLUMNS} rows={rowsOf(storage)} rowId={({ id }) => id} />;
}

function rowsOf({ documents, database, partials, quarantine }: StorageShown): Row[] {
  const free = sizeText(database.free_bytes);
  const files = quarantine.files;
  const documentCount = partials.files;
  return [
    documentsRow(documents, "authored", t`Documents written here`),
    documentsRow(documents, "received", t`Received documents`),
    {
      id: "partials",
      name: t`Incomplete documents`,
      count: plural(documentCount, { one: "# document", other: "# documents" }),
      bytes: partials.bytes,
      note: t`Space is reserved for the whole document.`,
    },
    {
      id: "quarantine",
      name: t`Quarantine`,
      count: plural(files, { one: "# file", other: "# files" }),
      bytes: quarantine.bytes,
      note: t`Files that no document names, such as those that a crash left.`,
    },
    {
      id: "database",
      name: t`Database`,
      count: "–",
      bytes: database.bytes,
      note: t`${free} of it are free for new entries.`,
    },
    inDatabase("records", t`Timing records`, database.timing_records),
    inDatabase("marks", t`Timestamps of transfers`, database.timing_marks),
    inDatabase("audit", t`Audit log`, database.audit_entries),
  ];
}

function documentsRow(documents: StorageShown["documents"], origin: string, name: string): Row {
  const found = documents.find((each) => each.origin === origin);
  const { documents: count = 0, plain_bytes = 0, sealed_bytes = 0 } = found ?? {};
  const plain = sizeText(plain_bytes);
  const sealed = sizeText(sealed_bytes);
  return {
    id: origin,
    name,
    count:
      origin === "received"
        ? plural(count, { one: "# document", other: "# documents" })
        : plural(count, { one: "# document or version", other: "# documents and versions" }),
    bytes: plain_bytes + sealed_bytes,
    note: t`${plain} plain, ${sealed} sealed`,
  };
}

function inDatabase(id: string, name: string, count: number): Row {
  return {
    id,
    name,
    count: plural(count, { one: "about # entry", other: "about # entries" }),
    bytes: null,
    note: t`In the database`,
  };
}
