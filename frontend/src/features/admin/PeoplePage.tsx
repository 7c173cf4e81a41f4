import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { FileDown, FileUp, UserPlus, Users } from "lucide-react";
import { useMemo, useState } from "react";
import { exportPeople, peopleFactorsQuery, peopleQuery } from "@/api/people";
import type { PersonShown } from "@/api/types";
import { SearchField } from "@/components/SearchField";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { Button } from "@/components/ui/Button";
import { DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { Loaded } from "@/components/ui/Loaded";
import { PageHeader } from "@/components/ui/PageHeader";
import { toastError } from "@/components/ui/toasts";
import { saveBlob } from "@/lib/save-blob";
import { ApprovalsSection } from "./people/ApprovalsSection";
import { DisableDialog } from "./people/DisableDialog";
import { EditPersonDialog } from "./people/EditPersonDialog";
import { ImportPeopleDialog } from "./people/ImportPeopleDialog";
import { LinkDialog } from "./people/LinkDialog";
import { NewPersonDialog } from "./people/NewPersonDialog";
import { type PersonAction, personColumns } from "./people/person-columns";
import { RemoveFactorsDialog } from "./people/RemoveFactorsDialog";
import { TokensDialog } from "./people/TokensDialog";
import { WebhooksDialog } from "./people/WebhooksDialog";

const route = getRouteApi("/in/admin/people");

/** The open dialog, and the person that it is about. */
type Open = { action: "new" | "import" } | { action: PersonAction; person: PersonShown } | null;

/** The people with an account, and their roles. */
export function PeoplePage() {
  const { search = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const people = useQuery(peopleQuery);
  const [open, setOpen] = useState<Open>(null);
  const { confirmed, dialog: confirmation } = useConfirmed();
  const factors = useQuery(peopleFactorsQuery).data;
  const columns = useMemo(() => {
    const withFactor = new Set(factors?.map((one) => one.person_id));
    return personColumns((action, person) => {
      const show = () => setOpen({ action, person });
      if (givesMore(action, person)) confirmed(show);
      else show();
    }, withFactor);
  }, [factors, confirmed]);
  const exporting = useMutation({
    mutationFn: exportPeople,
    onSuccess: (file) => saveBlob(file, "people.csv"),
    onError: (error) => toastError(t`Could not export the people.`, error),
  });
  const close = () => setOpen(null);
  return (
    <>
      <PageHeader
        dense
        title={t`People`}
        actions={
          <>
            <Button icon={<FileUp aria-hidden />} onClick={() => confirmed(() => setOpen({ action: "import" }))}>
              <Trans>Import</Trans>
            </Button>
            <Button icon={<FileDown aria-hidden />} busy={exporting.isPending} onClick={() => exporting.mutate()}>
              <Trans>Export</Trans>
            </Button>
            <Button
              tone="primary"
              icon={<UserPlus aria-hidden />}
              onClick={() => confirmed(() => setOpen({ action: "new" }))}
            >
              <Trans>New person</Trans>
            </Button>
          </>
        }
      >
        <Trans>
          Authors send documents and recipients receive them. Only cleared people can read classified content. Being an
          admin does not give access to documents.
        </Trans>
      </PageHeader>
      <ApprovalsSection />
      <Loaded query={people} what={t`the people`} lines={5}>
        {(all) => (
          <div className="flex flex-col gap-3">
            <SearchField
              label={t`Search people`}
              value={search}
              onSearch={(text) => void navigate({ search: text ? { search: text } : {}, replace: true })}
            />
            <DataTable
              dense
              caption={t`People`}
              columns={columns}
              rows={all.filter((person) => fits(person, search))}
              rowId={(person) => person.id}
              empty={
                <EmptyState icon={<Users aria-hidden />} title={t`No people match this search`}>
                  <Trans>Try a different name, login or unit.</Trans>
                </EmptyState>
              }
            />
          </div>
        )}
      </Loaded>
      {confirmation}
      {open?.action === "new" && <NewPersonDialog onClose={close} />}
      {open?.action === "import" && <ImportPeopleDialog onClose={close} />}
      {open?.action === "edit" && <EditPersonDialog person={open.person} onClose={close} />}
      {open?.action === "link" && <LinkDialog person={open.person} onClose={close} />}
      {open?.action === "tokens" && <TokensDialog person={open.person} onClose={close} />}
      {open?.action === "webhooks" && <WebhooksDialog person={open.person} onClose={close} />}
      {open?.action === "factors" && <RemoveFactorsDialog person={open.person} onClose={close} />}
      {open?.action === "disable" && <DisableDialog person={open.person} onClose={close} />}
    </>
  );
}

function fits(person: PersonShown, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [person.name, person.display_name, person.unit ?? ""].some((text) => text.toLowerCase().includes(wanted));
}

/** Whether the action can give somebody a way into an account, or more rights: then the admin confirms first that it is them. */
function givesMore(action: PersonAction, person: PersonShown): boolean {
  if (action === "tokens") return person.is_service;
  if (action === "disable") return person.disabled_at !== null; // it enables them
  return action === "link" || action === "factors" || action === "edit";
}
