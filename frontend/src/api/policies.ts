/** Policies: rules that say what is to be marked. Admins keep them, authors use them. See docs/policies.md. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ifMatch, raw, revisionIn } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type RuleKind = "keywords" | "regex" | "detector" | "columns" | "rows";
export type Granularity = "match" | "word" | "sentence" | "paragraph" | "page" | "document";

/** A rule as it is written: what is left out is as docs/policies.md says. */
export interface PolicyRule {
  kind: RuleKind;
  keywords?: readonly string[];
  pattern?: string;
  detector?: string;
  columns?: readonly string[];
  where?: string;
  granularity?: Granularity;
  case?: boolean;
  whole_word?: boolean;
  label?: string;
  reason?: string;
}

/** What somebody writes; its version is counted by the gateway. */
export interface PolicyWritten {
  readonly name: string;
  readonly title: string;
  /** Whether documents are checked by it before they are sent. */
  readonly guard: boolean;
  readonly rules: readonly PolicyRule[];
}

/** `latest`: the newest version's number. `toml`: the file that it was written as, if it was. */
export interface PolicyShown extends PolicyWritten {
  readonly version: number;
  readonly latest: number;
  readonly deleted: boolean;
  readonly changed_at: string;
  readonly changed_by: string;
  readonly toml: string | null;
}

export type PolicyListed = Schemas["PolicyListed"];
/** A place that a policy would mark: code points of the text. */
export type TextHit = Schemas["TextHit"];
/** The same in a unit of a document of any format; both ends null: the whole unit. */
export type DraftHit = Schemas["DraftHit"];

/** `more`: there are hits beyond these. */
export interface Preview<Hit> {
  readonly policy: string;
  readonly version: number;
  readonly hits: readonly Hit[];
  readonly more: boolean;
}

/** `missing`: sentences, each about a rule that looks for a column and a table that has none. */
export interface DraftPreview extends Preview<DraftHit> {
  readonly missing: readonly string[];
}

const POLICIES = "/api/v1/policies" as const;
const POLICY = "/api/v1/policies/{name}" as const;

export const policiesQuery = queryOptions({
  queryKey: ["policies", "list"],
  queryFn: ({ signal }) => dataOf(api.GET(POLICIES, { signal })),
});

/** One, as it is now, or as its version `version` was. */
export const policyQuery = (name: string, version?: number) =>
  queryOptions({
    queryKey: ["policies", "one", name, version ?? "latest"],
    queryFn: async ({ signal }) =>
      shown(
        await dataOf(
          api.GET(POLICY, { params: { path: { name }, query: version === undefined ? {} : { version } }, signal }),
        ),
      ),
  });

/** The gateway has understood its rules: their fields are those that docs/policies.md tells of. */
function shown(policy: Schemas["PolicyShown"]): PolicyShown {
  return { ...policy, rules: policy.rules as unknown as readonly PolicyRule[] };
}

/** What is sent: the file itself where there is one, for its comments. */
function source(policy: PolicyWritten, toml: string | null) {
  return toml === null ? raw(JSON.stringify(policy), "application/json") : raw(toml, "application/toml");
}

/** `toml`: the policy as a file, if somebody wrote one. */
export async function createPolicy(policy: PolicyWritten, toml: string | null): Promise<PolicyShown> {
  return shown(await dataOf(api.POST(POLICIES, source(policy, toml))));
}

/** Makes the version after `version`. Throws a `Problem` 412 if somebody else has made one meanwhile. */
export async function changePolicy(version: number, policy: PolicyWritten, toml: string | null): Promise<PolicyShown> {
  const params = { path: { name: policy.name }, header: ifMatch(version) };
  return shown(await dataOf(api.PUT(POLICY, { params, ...source(policy, toml) })));
}

export async function deletePolicy(name: string, version: number): Promise<void> {
  await api.DELETE(POLICY, { params: { path: { name }, header: ifMatch(version) } });
}

/** What is wrong with it; nothing is stored. */
export function checkPolicy(policy: PolicyWritten, signal: AbortSignal) {
  return dataOf(api.POST(`${POLICIES}/check`, { ...source(policy, null), signal }));
}

/** What a policy would mark in this text. */
export function previewInText(
  name: string,
  text: string,
  { limit, signal }: { limit?: number; signal?: AbortSignal } = {},
): Promise<Preview<TextHit>> {
  return dataOf(
    api.POST(`${POLICY}/preview`, {
      params: { path: { name }, query: limit === undefined ? {} : { limit } },
      ...raw(text, "text/plain; charset=utf-8"),
      ...(signal && { signal }),
    }),
  );
}

/** What a policy would mark in a draft of any format, and in which revision of it. */
export async function previewInDraft(
  id: string,
  name: string,
  limit?: number,
  signal?: AbortSignal,
): Promise<DraftPreview & { revision: number }> {
  const { data, response } = await api.POST("/api/v1/drafts/{draft_id}/policies/{name}/preview", {
    params: { path: { draft_id: id, name }, query: limit === undefined ? {} : { limit } },
    ...(signal && { signal }),
  });
  return { ...(data as DraftPreview), revision: revisionIn(response) };
}
