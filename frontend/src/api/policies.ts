/** Policies: rules that find content to mark. Admins write them, authors apply them. See docs/policies.md. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ifMatch, raw, revisionIn } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type RuleKind = "keywords" | "regex" | "detector" | "columns" | "rows";
export type Granularity = "match" | "word" | "sentence" | "paragraph" | "page" | "document";

/** A rule as it is written. docs/policies.md defines the defaults. */
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

/** A policy as it is written; the gateway counts its versions. */
export interface PolicyWritten {
  readonly name: string;
  readonly title: string;
  /** Whether the leak check applies it before documents are sent. */
  readonly guard: boolean;
  readonly rules: readonly PolicyRule[];
}

/** `latest`: the newest version's number. `toml`: the file that it was written in, if any. */
export interface PolicyShown extends PolicyWritten {
  readonly version: number;
  readonly latest: number;
  readonly deleted: boolean;
  readonly changed_at: string;
  readonly changed_by: string;
  readonly toml: string | null;
}

export type PolicyListed = Schemas["PolicyListed"];
/** A range of code points that a policy would mark. */
export type TextHit = Schemas["TextHit"];
/** The same in a unit of a file; the whole unit if both ends are null. */
export type DraftHit = Schemas["DraftHit"];

/** `more`: there are hits beyond these. */
export interface Preview<Hit> {
  readonly policy: string;
  readonly version: number;
  readonly hits: readonly Hit[];
  readonly more: boolean;
}

/** `missing`: sentences about columns that a rule names and a table does not have. */
export interface DraftPreview extends Preview<DraftHit> {
  readonly missing: readonly string[];
}

const POLICIES = "/api/v1/policies" as const;
const POLICY = "/api/v1/policies/{name}" as const;

export const policiesQuery = queryOptions({
  queryKey: ["policies", "list"],
  queryFn: ({ signal }) => dataOf(api.GET(POLICIES, { signal })),
});

/** A policy, in its latest version or in version `version`. */
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

/** The gateway has validated the rules, so their fields are those in docs/policies.md. */
function shown(policy: Schemas["PolicyShown"]): PolicyShown {
  return { ...policy, rules: policy.rules as unknown as readonly PolicyRule[] };
}

/** The body of a request: the file itself if there is one, to keep its comments. */
function source(policy: PolicyWritten, toml: string | null) {
  return toml === null ? raw(JSON.stringify(policy), "application/json") : raw(toml, "application/toml");
}

/** `toml`: the file that the policy was written in, if any. */
export async function createPolicy(policy: PolicyWritten, toml: string | null): Promise<PolicyShown> {
  return shown(await dataOf(api.POST(POLICIES, source(policy, toml))));
}

/** Creates the version after `version`. Throws a `Problem` 412 if that already exists. */
export async function changePolicy(version: number, policy: PolicyWritten, toml: string | null): Promise<PolicyShown> {
  const params = { path: { name: policy.name }, header: ifMatch(version) };
  return shown(await dataOf(api.PUT(POLICY, { params, ...source(policy, toml) })));
}

export async function deletePolicy(name: string, version: number): Promise<void> {
  await api.DELETE(POLICY, { params: { path: { name }, header: ifMatch(version) } });
}

/** The problems of a policy. Stores nothing. */
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

/** What a policy that need not be stored would mark in this text. */
export function tryInText(
  policy: PolicyWritten,
  toml: string | null,
  text: string,
  { limit, signal }: { limit?: number; signal?: AbortSignal } = {},
): Promise<Preview<TextHit>> {
  return dataOf(
    api.POST(`${POLICIES}/preview`, {
      params: { query: limit === undefined ? {} : { limit } },
      body: { language: toml === null ? "json" : "toml", policy: toml ?? JSON.stringify(policy), text },
      ...(signal && { signal }),
    }),
  );
}

/** What a policy that need not be stored would mark in a draft of any format, and in which revision of it. */
export async function tryInDraft(
  id: string,
  policy: PolicyWritten,
  toml: string | null,
  { limit, signal }: { limit?: number; signal?: AbortSignal } = {},
): Promise<DraftPreview & { revision: number }> {
  const { data, response } = await api.POST("/api/v1/drafts/{draft_id}/policies/preview", {
    params: { path: { draft_id: id }, query: limit === undefined ? {} : { limit } },
    ...source(policy, toml),
    ...(signal && { signal }),
  });
  return { ...(data as DraftPreview), revision: revisionIn(response) };
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
