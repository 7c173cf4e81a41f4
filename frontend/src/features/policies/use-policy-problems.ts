import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { checkPolicy, type PolicyWritten } from "@/api/policies";
import { useDebounced } from "@/lib/use-debounced";
import { ruleNumberOf } from "./rule-id";

const PAUSE_MS = 400;

interface PolicyProblems {
  /** Problems of the whole policy. */
  readonly whole: readonly string[];
  /** Problems of a rule, by its number from 1. */
  readonly ofRule: (number: number) => readonly string[];
  readonly count: number;
  /** Whether the problems are those of the current policy, not of an earlier one. */
  readonly current: boolean;
}

/** The problems that the gateway finds in a policy, updated when typing pauses. */
export function usePolicyProblems(policy: PolicyWritten): PolicyProblems {
  const asked = useDebounced(policy, PAUSE_MS);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ["policies", "check", asked],
    queryFn: ({ signal }) => checkPolicy(asked, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const problems = data?.problems ?? [];
  return {
    whole: problems.filter(({ where }) => ruleNumberOf(where) === null).map(({ says }) => says),
    ofRule: (number) => problems.filter(({ where }) => ruleNumberOf(where) === number).map(({ says }) => says),
    count: problems.length,
    current: asked === policy && data !== undefined && !isPlaceholderData,
  };
}
