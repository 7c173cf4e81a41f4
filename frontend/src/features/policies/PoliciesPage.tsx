import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FileUp, Plus, ScrollText } from "lucide-react";
import { useRef, useState } from "react";
import { type PolicyListed, policiesQuery } from "@/api/policies";
import { Problem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Loaded } from "@/components/ui/Loaded";
import { PageHeader } from "@/components/ui/PageHeader";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { numberText } from "@/lib/numbers";
import { EXAMPLES } from "./examples";
import { DiscardDialog } from "./LeaveDialog";
import { PolicyEditor } from "./PolicyEditor";
import { readPolicyFiles, type Start } from "./read-policy-files";
import { TryIt } from "./TryIt";
import { TomlProblem } from "./toml";

const COLUMNS: readonly Column<PolicyListed>[] = [
  {
    id: "title",
    header: t`Policy`,
    names: true,
    sortBy: ({ title, name }) => (title || name).toLowerCase(),
    cell: ({ name, title }) => (
      <>
        <Link to="/admin/policies/$name" params={{ name }} className="wrap-anywhere">
          {title || name}
        </Link>
        {title !== "" && <span className="wrap-anywhere font-normal text-quiet max-sm:block sm:ml-2">{name}</span>}
      </>
    ),
  },
  {
    id: "rules",
    header: t`Rules`,
    align: "end",
    sortBy: ({ rules }) => rules,
    cell: ({ rules }) => numberText(rules),
  },
  {
    id: "guard",
    header: t`Before sending`,
    cell: ({ guard }) => (guard ? t`Checked` : <span className="text-quiet">{t`Not checked`}</span>),
  },
  { id: "version", header: t`Version`, align: "end", cell: ({ version }) => numberText(version) },
  {
    id: "changed",
    header: t`Changed`,
    sortBy: ({ changed_at }) => changed_at,
    cell: ({ changed_at, changed_by }) => (
      <>
        <RelativeTime at={changed_at} /> {changed_by && <span className="text-quiet">{t`by ${changed_by}`}</span>}
      </>
    ),
  },
];

const NEW: Start = { policy: { name: "", title: "", guard: false, rules: [] }, toml: null };

/** The policies of this gateway, and the ways to create one. */
export function PoliciesPage() {
  const navigate = useNavigate();
  const policies = useQuery(policiesQuery);
  const [start, setStart] = useState<Start | null>(null);
  const [leaving, setLeaving] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const chooser = useRef<HTMLInputElement>(null);

  const chosen = async (files: readonly File[]) => {
    setRefused(null);
    try {
      setStart(await readPolicyFiles(files));
    } catch (error) {
      if (!(error instanceof TomlProblem)) throw error;
      setRefused(error.message);
    }
  };
  if (start) {
    return (
      <>
        <PolicyEditor
          start={start.policy}
          toml={start.toml}
          version={null}
          above={(losing) => (
            <button
              type="button"
              className="underline decoration-edge underline-offset-2"
              onClick={() => (losing ? setLeaving(true) : setStart(null))}
            >{t`Policies`}</button>
          )}
          onSaved={({ name }) => void navigate({ to: "/admin/policies/$name", params: { name }, ignoreBlocker: true })}
          beside={(edited) => <TryIt edited={edited} />}
        />
        <DiscardDialog
          open={leaving}
          onClose={() => setLeaving(false)}
          confirm={t`Leave`}
          onConfirm={() => {
            setLeaving(false);
            setStart(null);
          }}
        />
      </>
    );
  }

  const none = policies.data?.length === 0;
  const known = new Set(policies.data?.map(({ name }) => name));
  const offered = EXAMPLES.filter(({ policy }) => !known.has(policy.name));
  const make = (
    <>
      <Button icon={<FileUp aria-hidden />} onClick={() => chooser.current?.click()}>{t`Import a file`}</Button>
      <Button tone="primary" icon={<Plus aria-hidden />} onClick={() => setStart(NEW)}>{t`New policy`}</Button>
    </>
  );
  return (
    <>
      <PageHeader
        dense
        title={t`Policies`}
        actions={!none && make}
        actionsAwaited={policies.isPending}
      >{t`Policies are rules that find content to mark. Authors apply a policy in the editor, then accept or reject each hit.`}</PageHeader>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept=".toml,.txt,text/plain,application/toml"
        aria-label={t`Policy file and its keyword files`}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          target.value = "";
          if (files.length > 0) void chosen(files);
        }}
      />
      {refused && (
        <ErrorPanel title={t`The file was not imported.`} problem={new Problem(0, refused)} className="mb-6" />
      )}
      <Loaded query={policies} what={t`the policies`} lines={4}>
        {(list) => (
          <div className="flex flex-col gap-10">
            {none && (
              <EmptyState
                icon={<ScrollText aria-hidden />}
                title={t`No policies yet`}
                action={make}
              >{t`A policy is a list of rules: keywords, patterns, detectors for numbers and addresses, and columns and rows of tables. Start with an example below, import a file, or add your own rules.`}</EmptyState>
            )}
            {!none && (
              <DataTable dense caption={t`Policies`} columns={COLUMNS} rows={list} rowId={({ name }) => name} />
            )}
            {offered.length > 0 && (
              <Section title={t`Examples`} lead={t`Copy an example and adapt it.`}>
                <ul className="grid gap-4 sm:grid-cols-2">
                  {offered.map(({ policy, about }) => (
                    <li
                      key={policy.name}
                      className="flex flex-col items-start gap-3 rounded-lg border border-line bg-paper px-5 py-4"
                    >
                      <div className="flex-1">
                        <h3 className="font-serif text-lg">{policy.title}</h3>
                        <p className="text-quiet text-sm">
                          {about} {plural(policy.rules.length, { one: "# rule.", other: "# rules." })}
                        </p>
                      </div>
                      <Button size="sm" onClick={() => setStart({ policy, toml: null })}>
                        <Trans>
                          Use example<span className="sr-only"> {policy.title}</span>
                        </Trans>
                      </Button>
                    </li>
                  ))}
                </ul>
              </Section>
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}
