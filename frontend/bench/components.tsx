/** Every part of the UI on one sheet, to look at: `npx vite`, then /bench/components.html. Not part of what is built. */
import "../src/index.css";
import { FileText, Pencil, Plus, Trash2 } from "lucide-react";
import { type ReactNode, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { Problem } from "../src/api/problem";
import { Providers } from "../src/app/providers";
import { newQueryClient } from "../src/app/query-client";
import { ChannelLegend } from "../src/components/ChannelLegend";
import { ChannelProgress } from "../src/components/ChannelProgress";
import { ThemeSwitch } from "../src/components/ThemeSwitch";
import { TimingBar } from "../src/components/TimingBar";
import { Badge } from "../src/components/ui/Badge";
import { Button } from "../src/components/ui/Button";
import { Bytes } from "../src/components/ui/Bytes";
import { Checkbox } from "../src/components/ui/Checkbox";
import { ConfirmDialog } from "../src/components/ui/ConfirmDialog";
import { CopyButton } from "../src/components/ui/CopyButton";
import { type Column, DataTable } from "../src/components/ui/DataTable";
import { Dialog } from "../src/components/ui/Dialog";
import { Digest } from "../src/components/ui/Digest";
import { EmptyState } from "../src/components/ui/EmptyState";
import { ErrorPanel } from "../src/components/ui/ErrorPanel";
import { Field } from "../src/components/ui/Field";
import { IconButton } from "../src/components/ui/IconButton";
import { Input } from "../src/components/ui/Input";
import { Menu, MenuItem, MenuNote, MenuSeparator } from "../src/components/ui/Menu";
import { MultiCombobox } from "../src/components/ui/MultiCombobox";
import { PageHeader } from "../src/components/ui/PageHeader";
import { Progress } from "../src/components/ui/Progress";
import { RadioGroup } from "../src/components/ui/RadioGroup";
import { RelativeTime } from "../src/components/ui/RelativeTime";
import { SegmentedControl } from "../src/components/ui/SegmentedControl";
import { Select } from "../src/components/ui/Select";
import { Skeleton } from "../src/components/ui/Skeleton";
import { Tabs } from "../src/components/ui/Tabs";
import { Textarea } from "../src/components/ui/Textarea";
import { toast, toastError } from "../src/components/ui/toasts";

interface Row {
  id: string;
  name: string;
  to: string;
  state: "delivered" | "sending" | "failed";
  bytes: number;
  at: string;
}

const ROWS: Row[] = [
  { id: "1", name: "Harbour plan.txt", to: "bruno", state: "delivered", bytes: 41_300, at: "2026-11-21T11:13:38Z" },
  {
    id: "2",
    name: "Minutes of the board, third quarter.md",
    to: "rosa",
    state: "sending",
    bytes: 10_000_000,
    at: "2026-11-21T13:00:00Z",
  },
  { id: "3", name: "memo.txt", to: "bruno, rosa", state: "failed", bytes: 44, at: "2026-11-19T08:00:00Z" },
];

const TONE = { delivered: "ok", sending: "plain", failed: "danger" } as const;

const COLUMNS: Column<Row>[] = [
  { id: "name", header: "Name", names: true, cell: (row) => row.name, sortBy: (row) => row.name },
  { id: "to", header: "To", cell: (row) => row.to },
  { id: "state", header: "State", cell: (row) => <Badge tone={TONE[row.state]}>{row.state}</Badge> },
  { id: "size", header: "Size", align: "end", cell: (row) => <Bytes value={row.bytes} />, sortBy: (row) => row.bytes },
  { id: "at", header: "Sent", cell: (row) => <RelativeTime at={row.at} />, sortBy: (row) => row.at },
  {
    id: "deeds",
    header: "Deeds",
    headerHidden: true,
    align: "end",
    cell: () => <IconButton size="sm" label="Delete" icon={<Trash2 aria-hidden />} />,
  },
];

const PROBLEM = new Problem(422, "Line 2, column 5: <$E> closes a span, but none is open; remove it.");

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-4">
      <h2 className="eyebrow border-line border-b pb-1">{title}</h2>
      {children}
    </section>
  );
}

function Sheet() {
  const [dialog, setDialog] = useState(location.hash === "#dialog");
  const [confirm, setConfirm] = useState(location.hash === "#confirm");
  const [ticked, setTicked] = useState(true);
  const [mode, setMode] = useState<"sieve" | "secure-only">("sieve");
  const [view, setView] = useState<"full" | "eaves" | "gaps">("full");
  const [people, setPeople] = useState(["bruno"]);
  const [tab, setTab] = useState<"a" | "b">("a");
  return (
    <main className="mx-auto flex max-w-5xl flex-col gap-10 px-4 py-8 sm:px-6">
      <PageHeader
        title="Components"
        above="Bench"
        actions={
          <>
            <ThemeSwitch />
            <Button tone="primary" icon={<Plus aria-hidden />}>
              New document
            </Button>
          </>
        }
      >
        Everything on one sheet.
      </PageHeader>
      <Part title="A document">
        <article className="sheet document">
          {"Berth 3 opens on "}
          <mark className="classified">Tuesday 14 March at 05:40</mark>
          {", gate code "}
          <mark className="classified">7741</mark>
          {". The pilot boards at the outer buoy; nothing is to be said of the cargo, which is "}
          <mark className="classified">
            twelve crates of instruments for the northern station, and one that is not on the list
          </mark>
          {". Tugs as usual.\n\n"}
          <span className="eavesdropped">Berth 3 opens on , gate code . The pilot boards at the outer buoy.</span>
          {"\n\nBerth 3 opens on "}
          <span className="withheld" role="img" aria-label="withheld" />
          {", gate code "}
          <span className="withheld" role="img" aria-label="withheld" />.
        </article>
        <ChannelLegend />
      </Part>
      <div className="grid gap-10 md:grid-cols-2">
        <Part title="Channels">
          <ChannelProgress
            secureSent={1_200_000}
            secureTotal={1_200_000}
            plainSent={5_400_000}
            plainTotal={8_800_000}
          />
          <ChannelProgress secureSent={400} secureTotal={1200} plainSent={0} plainTotal={0} compact />
          <Progress label="Reading the file" value={62} />
        </Part>
        <Part title="Timing">
          <TimingBar
            caption="Where the time went"
            segments={[
              { id: "sieve", label: "Sieve", ms: 3.2, kind: "work" },
              { id: "establishment", label: "Establishment", ms: 8.9, kind: "secure" },
              { id: "transfer", label: "Data transfer", ms: 31.4, kind: "plain" },
              { id: "integrate", label: "Integrate", ms: 2.1, kind: "work" },
            ]}
            totalMs={48.2}
          />
        </Part>
      </div>
      <Part title="Table">
        <DataTable caption="Transfers" columns={COLUMNS} rows={ROWS} rowId={(row) => row.id} />
      </Part>
      <div className="grid gap-10 md:grid-cols-2">
        <Part title="Buttons">
          <div className="flex flex-wrap items-center gap-2">
            <Button tone="primary">Send</Button>
            <Button icon={<Pencil aria-hidden />}>Rename</Button>
            <Button tone="danger">Delete</Button>
            <Button busy>Saving</Button>
            <Button disabled>Off</Button>
            <Button size="sm">Small</Button>
            <IconButton label="Edit" icon={<Pencil aria-hidden />} />
            <IconButton label="Edit" icon={<Pencil aria-hidden />} pressed />
            <Menu trigger={<Button>More</Button>}>
              <MenuNote>Harbour plan.txt</MenuNote>
              <MenuSeparator />
              <MenuItem icon={<Pencil aria-hidden />} onClick={() => {}}>
                Rename
              </MenuItem>
              <MenuItem icon={<Trash2 aria-hidden />} tone="danger" onClick={() => setConfirm(true)}>
                Delete
              </MenuItem>
            </Menu>
          </div>
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setDialog(true)}>Dialog</Button>
            <Button onClick={() => setConfirm(true)}>Confirm</Button>
            <Button onClick={() => toast("Saved", "Harbour plan.txt, revision 4")}>Toast</Button>
            <Button onClick={() => toastError("The document could not be deleted.", PROBLEM)}>Failure</Button>
          </div>
          <div className="flex flex-wrap gap-2">
            <Badge>queued</Badge>
            <Badge tone="quiet">recipient</Badge>
            <Badge tone="secure">cleared</Badge>
            <Badge tone="open">plain</Badge>
            <Badge tone="ok">delivered</Badge>
            <Badge tone="danger">failed</Badge>
          </div>
          <SegmentedControl
            label="View"
            value={view}
            onValueChange={setView}
            segments={[
              { value: "full", label: "Document" },
              { value: "eaves", label: "Eavesdropper" },
              { value: "gaps", label: "Uncleared" },
            ]}
          />
          <Digest value="4ab1fcceb0b48e4ea38a9c53163e894c9120006ef5c457c91440c9e897908176" />
          <CopyButton text="sieve_abc" what="token" worded />
        </Part>
        <Part title="Forms">
          <Field label="Name" hint="1 to 63 of a-z, 0-9 and . _ @ -">
            <Input placeholder="ada" />
          </Field>
          <Field label="Password" error="At least 12 characters.">
            <Input type="password" defaultValue="short" />
          </Field>
          <Field label="Invitation">
            <Textarea placeholder="Paste it here" rows={3} />
          </Field>
          <Select
            label="Peer"
            value="bravo"
            onValueChange={() => {}}
            choices={[
              { value: "bravo", label: "bravo" },
              { value: "charlie", label: "charlie", hint: "not confirmed yet" },
            ]}
          />
          <MultiCombobox
            label="Recipients"
            value={people}
            onValueChange={setPeople}
            choices={[
              { value: "bruno", label: "Bruno", note: <Badge tone="secure">cleared</Badge> },
              { value: "rosa", label: "Rosa" },
              { value: "rudolf", label: "Rudolf von Habsburg" },
            ]}
            empty="Nobody there has that name."
            hint="Whoever is not cleared reads the redacted edition."
          />
          <RadioGroup
            label="How"
            value={mode}
            onValueChange={setMode}
            choices={[
              { value: "sieve", label: "Both channels", hint: "Only what is classified is encrypted." },
              { value: "secure-only", label: "Secure channel only", hint: "Everything is encrypted." },
            ]}
          />
          <Checkbox label="May read what is classified" checked={ticked} onCheckedChange={setTicked} />
        </Part>
      </div>
      <Part title="States">
        <ErrorPanel problem={PROBLEM} title="The document could not be read." onRetry={() => {}} />
        <EmptyState
          icon={<FileText aria-hidden />}
          title="No documents yet"
          action={<Button tone="primary">Import a file</Button>}
        >
          Write one, or bring a text file in; then mark what is classified.
        </EmptyState>
        <Skeleton lines={3} />
        <Tabs
          label="Parts"
          value={tab}
          onValueChange={setTab}
          tabs={[
            { value: "a", label: "Receipt", panel: "The receipt." },
            { value: "b", label: "Timing", panel: "The timing." },
          ]}
        />
      </Part>
      <Dialog
        open={dialog}
        onOpenChange={setDialog}
        title="Send “Harbour plan.txt”"
        description="To people at another gateway."
        footer={
          <>
            <Button onClick={() => setDialog(false)}>Cancel</Button>
            <Button tone="primary">Send</Button>
          </>
        }
      >
        <Field label="Name">
          <Input />
        </Field>
      </Dialog>
      <ConfirmDialog
        open={confirm}
        onClose={() => setConfirm(false)}
        title="Delete “Harbour plan.txt”?"
        confirm="Delete"
        onConfirm={() => setConfirm(false)}
      >
        It goes from this gateway for good. What was sent stays with those who have it.
      </ConfirmDialog>
    </main>
  );
}

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Providers queryClient={newQueryClient()}>
        <Sheet />
      </Providers>
    </StrictMode>,
  );
}
