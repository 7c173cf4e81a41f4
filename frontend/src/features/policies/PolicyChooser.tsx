import { plural, t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { policiesQuery } from "@/api/policies";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Select } from "@/components/ui/Select";
import { Skeleton } from "@/components/ui/Skeleton";
import { numberText } from "@/lib/numbers";
import { useSession } from "@/session/session";

interface PolicyChooserProps {
  value: string | null;
  onValueChange: (name: string) => void;
}

/** Chooses a policy; if there are none, says what to do. */
export function PolicyChooser({ value, onValueChange }: PolicyChooserProps) {
  const { person } = useSession();
  const { data, error, refetch } = useQuery({ ...policiesQuery, staleTime: 0 });
  if (error && !data) {
    return <ErrorPanel title={t`Could not load the policies.`} problem={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Skeleton label={t`Loading the policies`} lines={2} />;
  if (data.length === 0) {
    return (
      <p className="rounded-md border border-edge/50 border-dashed px-4 py-3 text-quiet text-sm">
        {t`There are no policies yet.`}{" "}
        {person.is_admin ? (
          <Link to="/admin/policies">{t`Create one, or start from an example.`}</Link>
        ) : (
          t`Ask an admin to create one. Policies are lists of words, patterns and number formats to find.`
        )}
      </p>
    );
  }
  const choices = data.map(({ name, title, rules, version }) => ({
    value: name,
    label: title || name,
    hint: t`${plural(rules, { one: "# rule", other: "# rules" })}, version ${{ version: numberText(version) }}`,
  }));
  return (
    <Select
      label={t`Policy`}
      labelHidden
      value={value ?? ""}
      onValueChange={(name) => name !== "" && onValueChange(name)}
      choices={value === null ? [{ value: "", label: t`Choose a policy` }, ...choices] : choices}
    />
  );
}
