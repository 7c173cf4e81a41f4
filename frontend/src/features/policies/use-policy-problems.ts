import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { checkPolicy, type PolicyWritten } from "@/api/policies";
import { ruleNumberOf } from "./rule-id";

const PAUSE_MS = 400;

export interface PolicyProblems {
  /** Of the whole policy. */
  readonly whole: readonly string[];
  /** By the rule's number, from 1. */
  readonly ofRule: (number: number) => readonly string[];
  readonly count: number;
  /** What is shown is of the policy as it stands now. */
  readonly current: boolean;
}

/** What the gateway finds wrong with it, a moment after typing pauses. */
export function usePolicyProblems(policy: PolicyWritten): PolicyProblems {
  const [asked, setAsked] = useState(policy);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(policy), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [policy]);
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
