import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { policiesQuery } from "@/api/policies";
import { useSession } from "@/app/session";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Select } from "@/components/ui/Select";
import { Skeleton } from "@/components/ui/Skeleton";
import { countText } from "./rule-id";

interface PolicyChooserProps {
  value: string | null;
  onValueChange: (name: string) => void;
}

/** The policies that can be marked by; where there is none, what to do about it. */
export function PolicyChooser({ value, onValueChange }: PolicyChooserProps) {
  const { person } = useSession();
  const { data, error, refetch } = useQuery({ ...policiesQuery, staleTime: 0 });
  if (error && !data) {
    return <ErrorPanel title="The policies could not be loaded." problem={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Skeleton label="Loading the policies" lines={2} />;
  if (data.length === 0) {
    return (
      <p className="rounded-md border border-edge/50 border-dashed px-4 py-3 text-quiet text-sm">
        There is no policy yet.{" "}
        {person.is_admin ? (
          <Link to="/admin/policies">Make one, or take an example over.</Link>
        ) : (
          "An administrator makes them: lists of words, patterns, and numbers that are known by their form."
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
