import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { FileQuestionMark, Trash2 } from "lucide-react";
import { useState } from "react";
import { type PolicyShown, type PolicyWritten, policyQuery } from "@/api/policies";
import { Problem } from "@/api/problem";
import { Button, buttonClass } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { DeletePolicyDialog } from "./DeletePolicyDialog";
import { DiscardDialog } from "./LeaveDialog";
import { PolicyEditor } from "./PolicyEditor";
import type { Start } from "./read-policy-files";
import { TryIt } from "./TryIt";
import { VersionHistory } from "./VersionHistory";

const route = getRouteApi("/in/admin/policies/$name");

const toList = <Link to="/admin/policies" className="tap">{t`Policies`}</Link>;

/** One policy, to read, test and change. */
export function PolicyPage() {
  const { name } = route.useParams();
  // A newer version must not replace the edited one; saving reports the conflict.
  const { data, error, refetch } = useQuery({ ...policyQuery(name), staleTime: Number.POSITIVE_INFINITY });
  if (data) return <OnePolicy key={name} policy={data} />;
  return (
    <>
      <PageHeader title={t`Policy`} above={toList} />
      {error instanceof Problem && error.status === 404 ? (
        <EmptyState
          icon={<FileQuestionMark />}
          title={t`Policy not found`}
          action={<Link to="/admin/policies" className={buttonClass()}>{t`Back to policies`}</Link>}
        >{t`It may have been deleted.`}</EmptyState>
      ) : error ? (
        <ErrorPanel title={t`Could not load the policy.`} problem={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} label={t`Loading the policy`} />
      )}
    </>
  );
}

function OnePolicy({ policy }: { policy: PolicyShown }) {
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const [start, setStart] = useState({ ...startOf(policy), turn: 0 });
  /** The version to edit once the author has confirmed that unsaved changes may be lost. */
  const [over, setOver] = useState<PolicyShown | null>(null);
  const takeBack = (old: PolicyShown) => setStart(({ turn }) => ({ ...startOf(old), turn: turn + 1 }));
  return (
    <>
      <PolicyEditor
        key={start.turn}
        start={start.policy}
        toml={start.toml}
        saved={asWritten(policy)}
        version={policy.version}
        above={() => toList}
        actions={
          <Button tone="danger" icon={<Trash2 aria-hidden />} onClick={() => setDeleting(true)}>{t`Delete`}</Button>
        }
        onSaved={() => {}}
        beside={(edited) => (
          <>
            <TryIt edited={edited} />
            <VersionHistory policy={policy} onTakeBack={(old) => (edited.unsaved ? setOver(old) : takeBack(old))} />
          </>
        )}
      />
      <DiscardDialog
        open={over !== null}
        onClose={() => setOver(null)}
        confirm={t`Discard changes`}
        onConfirm={() => {
          if (over) takeBack(over);
          setOver(null);
        }}
      />
      <DeletePolicyDialog
        name={policy.name}
        version={policy.version}
        open={deleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: "/admin/policies", ignoreBlocker: true })}
      />
    </>
  );
}

function startOf(policy: PolicyShown): Start {
  return { policy: asWritten(policy), toml: policy.toml };
}

function asWritten({ name, title, guard, rules }: PolicyShown): PolicyWritten {
  return { name, title, guard, rules };
}
