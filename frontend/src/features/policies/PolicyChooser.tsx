import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { policiesQuery } from "@/api/policies";
import { useSession } from "@/app/session";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Select } from "@/components/ui/Select";
import { Skeleton } from "@/components/ui/Skeleton";
import { countText } from "@/lib/prose";

interface PolicyChooserProps {
  value: string | null;
  onValueChange: (name: string) => void;
}

/** Chooses a policy; if there are none, says what to do. */
export function PolicyChooser({ value, onValueChange }: PolicyChooserProps) {
  const { person } = useSession();
  const { data, error, refetch } = useQuery({ ...policiesQuery, staleTime: 0 });
  if (error && !data) {
    return <ErrorPanel title="Could not load the policies." problem={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Skeleton label="Loading the policies" lines={2} />;
  if (data.length === 0) {
    return (
      <p className="rounded-md border border-edge/50 border-dashed px-4 py-3 text-quiet text-sm">
        There are no policies yet.{" "}
        {person.is_admin ? (
          <Link to="/admin/policies">Create one, or start from an example.</Link>
        ) : (
          "Ask an admin to create one. Policies are lists of words, patterns and number formats to find."
        )}
      </p>
    );
  }
  const choices = data.map(({ name, title, rules, version }) => ({
    value: name,
    label: title || name,
    hint: `${countText(rules, "rule", "rules")}, version ${version.toLocaleString("en")}`,
  }));
  return (
    <Select
      label="Policy"
      labelHidden
      value={value ?? ""}
      onValueChange={(name) => name !== "" && onValueChange(name)}
      choices={value === null ? [{ value: "", label: "Choose a policy" }, ...choices] : choices}
    />
  );
}
