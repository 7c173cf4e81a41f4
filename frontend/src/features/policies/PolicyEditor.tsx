import { plural, t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, Save } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { changePolicy, createPolicy, type PolicyShown, type PolicyWritten, policyQuery } from "@/api/policies";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { PageHeader } from "@/components/ui/PageHeader";
import { Tabs } from "@/components/ui/Tabs";
import { toast } from "@/components/ui/toasts";
import { numberText } from "@/lib/numbers";
import {
  applyRuleAction,
  type EditablePolicy,
  insertRule,
  replaceRule,
  toEditable,
  toWritten,
} from "./editable-policy";
import { LeaveDialog } from "./LeaveDialog";
import { type RuleAction, RuleCard } from "./RuleCard";
import { TomlView } from "./TomlView";
import { printPolicy } from "./toml";
import { usePolicyProblems } from "./use-policy-problems";

interface PolicyEditorProps {
  /** The initial content. */
  start: PolicyWritten;
  /** The file that the initial content was written in, if any. */
  toml: string | null;
  /** The saved content, if it differs from `start`. */
  saved?: PolicyWritten;
  /** The version that it changes; null for a new policy. */
  version: number | null;
  /** The link back. `losing`: there are unsaved changes. */
  above: (losing: boolean) => ReactNode;
  /** More buttons, before Save. */
  actions?: ReactNode;
  onSaved: (policy: PolicyShown) => void;
  /** The column beside the rules. */
  beside: (edited: Edited) => ReactNode;
}

/** A policy as it is in the editor. `usable`: it has rules, and the gateway knows of no problem. */
export interface Edited {
  readonly policy: PolicyWritten;
  readonly usable: boolean;
  readonly unsaved: boolean;
}

type View = "rules" | "toml";

/** An editor for a policy, as a form or as a file, with problems shown at their rules. */
export function PolicyEditor(props: PolicyEditorProps) {
  const { start, version, above, actions, onSaved, beside } = props;
  const client = useQueryClient();
  const [policy, setPolicy] = useState(() => toEditable(start));
  const [saved, setSaved] = useState(() => (version === null ? null : (props.saved ?? start)));
  const [savedToml, setSavedToml] = useState(props.toml);
  const [view, setView] = useState<View>("rules");
  const [unread, setUnread] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set(start.rules.length === 1 ? [0] : []));
  const [now, setNow] = useState(() => toWritten(policy));
  /** The file with the same content and its comments; null after a change in the form. */
  const [toml, setToml] = useState(props.toml);
  const set = (next: EditablePolicy, file: string | null = null) => {
    setPolicy(next);
    setNow(toWritten(next));
    setToml(file);
  };
  const problems = usePolicyProblems(now);
  const same = useMemo(() => JSON.stringify(now) === JSON.stringify(saved), [now, saved]);
  const unsaved = unread || !same || toml !== savedToml;
  const losing = unsaved && !(version === null && now.rules.length === 0);
  const [tries, setTries] = useState(0);
  const list = useRef<HTMLOListElement>(null);
  const saving = useMutation({
    // Typing may continue, so this keeps what was sent.
    mutationFn: (sent: { now: PolicyWritten; toml: string | null }) =>
      version === null ? createPolicy(sent.now, sent.toml) : changePolicy(version, sent.now, sent.toml),
    onSuccess: async (shown, sent) => {
      setSaved(sent.now);
      setSavedToml(sent.toml);
      setTries(0);
      client.setQueryData(policyQuery(shown.name).queryKey, shown);
      await client.invalidateQueries({ queryKey: ["policies", "list"] });
      toast(
        t`${{ policy: shown.title || shown.name }} saved`,
        t`This is version ${{ version: numberText(shown.version) }}.`,
      );
    },
  });

  // After a failed attempt to save, scrolls to the first problem.
  const faulty = policy.rules.findIndex((_, index) => problems.ofRule(index + 1).length > 0);
  useEffect(() => {
    if (tries > 0)
      list.current?.querySelector<HTMLElement>("li[data-rule] .text-danger")?.scrollIntoView({ block: "center" });
  }, [tries]);
  const save = () => {
    if (problems.current && problems.count > 0) {
      const rule = policy.rules[faulty];
      setView("rules");
      if (rule) setOpen(new Set([...open, rule.id]));
      announce(plural(problems.count, { one: "Cannot save: # problem.", other: "Cannot save: # problems." }));
      setTries(tries + 1);
      return;
    }
    // Not called after the page was left, so it never navigates away from another page.
    saving.mutate({ now, toml }, { onSuccess: onSaved });
  };
  const toggle = (id: number, on: boolean) => {
    const next = new Set(open);
    if (on) next.add(id);
    else next.delete(id);
    setOpen(next);
  };
  const add = () => {
    setOpen(new Set([...open, policy.next]));
    set(insertRule(policy, { kind: "keywords", keywords: [] }));
    // After the new rule is drawn.
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>("li:last-child [role=combobox]")?.focus());
  };
  const act = (index: number, what: RuleAction) => {
    set(applyRuleAction(policy, index, what));
    const number = index + 1;
    const done = {
      up: t`Rule ${number} moved up`,
      down: t`Rule ${number} moved down`,
      copy: t`Rule ${number} duplicated`,
      remove: t`Rule ${number} removed`,
    };
    announce(done[what]);
  };
  const named = version !== null || now.name.trim() !== "";
  // A new policy can be tried before it has a name.
  const faults = named ? problems.count : policy.rules.filter((_, at) => problems.ofRule(at + 1).length > 0).length;
  const usable = !unread && now.rules.length > 0 && problems.current && faults === 0;

  const rules = (
    <div className="flex flex-col gap-4">
      {policy.rules.length === 0 ? (
        <EmptyState
          title={t`No rules yet`}
          action={<AddRule onClick={add} />}
        >{t`A rule says what to find, how much to mark around it, and why.`}</EmptyState>
      ) : (
        <>
          <ol ref={list} aria-label={t`Rules`} className="flex flex-col gap-3">
            {policy.rules.map(({ id, rule }, index) => (
              <RuleCard
                key={id}
                rule={rule}
                number={index + 1}
                count={policy.rules.length}
                open={open.has(id)}
                onOpen={(on) => toggle(id, on)}
                problems={problems.ofRule(index + 1)}
                onChange={(next) => set(replaceRule(policy, id, next))}
                onAction={(what) => act(index, what)}
              />
            ))}
          </ol>
          <div>
            <AddRule onClick={add} />
          </div>
        </>
      )}
    </div>
  );

  return (
    <>
      <PageHeader
        title={version === null ? t`New policy` : saved?.title || start.name}
        above={above(losing)}
        actions={
          <>
            {actions}
            <Button
              tone="primary"
              icon={<Save aria-hidden />}
              busy={saving.isPending}
              disabled={!named || unread || !unsaved}
              onClick={save}
            >{t`Save`}</Button>
          </>
        }
      >
        {version === null
          ? t`Authors can use it in the editor once you save it.`
          : t`${{ name: start.name }}, version ${{ version: numberText(version) }}. Saving creates a new version. Earlier versions stay readable.`}
      </PageHeader>
      {saving.error && <ErrorPanel title={t`The policy was not saved.`} problem={saving.error} className="mb-6" />}
      {/* Saving a new policy opens its page; anything typed until then would be lost. */}
      <div
        className="grid gap-10 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-12"
        inert={version === null && saving.isPending}
      >
        <div className="flex min-w-0 flex-col gap-6">
          <div className="grid gap-5 sm:grid-cols-2">
            {version === null && (
              <Field label={t`Name`} hint={t`Letters, digits, dots and hyphens. It cannot be changed later.`}>
                <Input
                  value={policy.name}
                  maxLength={100}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={({ target }) => set({ ...policy, name: target.value })}
                />
              </Field>
            )}
            <Field label={t`Title`} hint={t`Shown to authors`}>
              <Input
                value={policy.title}
                maxLength={200}
                autoComplete="off"
                onChange={({ target }) => set({ ...policy, title: target.value })}
              />
            </Field>
          </div>
          <Checkbox
            label={t`Check documents before sending`}
            hint={t`Plain content that this policy would mark becomes a finding. Authors must give a reason to send it anyway.`}
            checked={policy.guard}
            onCheckedChange={(guard) => set({ ...policy, guard })}
          />
          {named && problems.whole.length > 0 && (
            <ul role="alert" className="flex flex-col gap-1 text-danger text-sm">
              {problems.whole.map((says) => (
                <li key={says}>{says}</li>
              ))}
            </ul>
          )}
          <Tabs<View>
            label={t`View`}
            value={view}
            // A file with errors stays visible until they are fixed.
            onValueChange={(next) => unread || setView(next)}
            tabs={[
              { value: "rules", label: t`Rules, ${{ count: numberText(policy.rules.length) }}`, panel: rules },
              {
                value: "toml",
                label: t`File`,
                panel: (
                  <TomlView
                    start={toml ?? printPolicy(now, version ?? undefined)}
                    name={now.name}
                    fixedName={version !== null}
                    onRead={(read, text) => {
                      setOpen(new Set());
                      set(toEditable(read, policy.next), text);
                    }}
                    onUnread={setUnread}
                  />
                ),
              },
            ]}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-10">{beside({ policy: now, usable, unsaved })}</div>
      </div>
      <LeaveDialog unsaved={losing} />
    </>
  );
}

function AddRule({ onClick }: { onClick: () => void }) {
  return <Button icon={<Plus aria-hidden />} onClick={onClick}>{t`Add a rule`}</Button>;
}
