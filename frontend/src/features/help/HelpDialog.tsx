import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { BookOpen } from "lucide-react";
import { useState } from "react";
import { hasRole } from "@/api/roles";
import { ADMIN_STEPS, authorSteps, RECIPIENT_STEPS } from "@/components/help/first-steps";
import { Steps } from "@/components/help/Steps";
import { TERMS } from "@/components/help/terms";
import { Dialog } from "@/components/ui/Dialog";
import { Tabs } from "@/components/ui/Tabs";
import { dateLocale } from "@/i18n/locale";
import { useSession } from "@/session/session";
import { KeyList } from "../workspace/shell/KeyList";
import { KEY_TABLES } from "./key-tables";

/** The first steps, the words and the keys, over the page, so that readers keep their place. */
export function HelpDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [shown, show] = useState<"steps" | "words" | "keys">("steps");
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`Help`}
      width="lg"
      footer={
        <Link
          to="/guide"
          target="_blank"
          className="tap mr-auto inline-flex min-h-6 items-center gap-2 font-medium text-sm"
        >
          <BookOpen aria-hidden className="size-4 shrink-0 text-quiet" />
          {t`Read the guide (new tab)`}
        </Link>
      }
    >
      <Tabs
        label={t`Help`}
        value={shown}
        onValueChange={show}
        tabs={[
          { value: "steps", label: t`First steps`, panel: <FirstSteps /> },
          { value: "words", label: t`Words`, panel: <Words /> },
          { value: "keys", label: t`Keyboard shortcuts`, panel: <Keys /> },
        ]}
      />
    </Dialog>
  );
}

function FirstSteps() {
  const { person } = useSession();
  const parts = [
    { title: t`Send a document`, role: "author", steps: authorSteps() },
    { title: t`Read what you received`, role: "recipient", steps: RECIPIENT_STEPS },
    { title: t`Set up the gateway`, role: "admin", steps: ADMIN_STEPS },
  ] as const;
  return (
    <div className="flex flex-col gap-8">
      {parts
        .filter(({ role }) => hasRole(person, role))
        .map(({ title, steps }) => (
          <section key={title} aria-label={title}>
            <h2 className="mb-4 font-serif text-lg">{title}</h2>
            <Steps steps={steps} />
          </section>
        ))}
    </div>
  );
}

function Words() {
  return (
    <dl className="flex flex-col gap-4 text-sm">
      {Object.values(TERMS)
        .toSorted((one, other) => one.word.localeCompare(other.word, dateLocale()))
        .map(({ word, means }) => (
          <div key={word}>
            <dt className="font-medium">{word}</dt>
            <dd className="max-w-prose text-quiet">{means}</dd>
          </div>
        ))}
    </dl>
  );
}

function Keys() {
  const { person } = useSession();
  return (
    <div className="flex flex-col gap-8">
      {KEY_TABLES.filter(({ role }) => hasRole(person, role)).map(({ title, help }) => (
        <section key={title} aria-label={title}>
          <h2 className="mb-3 font-serif text-lg">{title}</h2>
          <KeyList help={help} />
        </section>
      ))}
    </div>
  );
}
