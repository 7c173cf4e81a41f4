import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { type RadioChoice, RadioGroup } from "@/components/ui/RadioGroup";
import { Section } from "@/components/ui/Section";
import {
  chooseNotifications,
  type NotificationChoice,
  notificationChoice,
  notificationPermission,
} from "@/session/browser-notifications";
import { useSession } from "@/session/session";

const CHOICES: readonly RadioChoice<NotificationChoice>[] = [
  { value: "off", label: t({ context: "notifications", message: "Off" }) },
  { value: "sender", label: t`Show the sender`, hint: t`A notification never shows the document’s text.` },
  {
    value: "name",
    label: t`Show the sender and the document’s name`,
    hint: t`Anyone who sees your screen can read the name.`,
  },
];

/** Whether this browser notifies the person about received documents. */
export function NotificationsSection() {
  const { person } = useSession();
  const [permission, setPermission] = useState(notificationPermission);
  const [choice, setChoice] = useState(() => notificationChoice(person.id));
  const choose = async (next: NotificationChoice) => {
    const now = await chooseNotifications(person.id, next);
    setPermission(now);
    setChoice(notificationChoice(person.id));
  };
  return (
    <Section
      title={t`Browser notifications`}
      lead={t`Tells you about new documents while no tab of this gateway is visible. A tab must be open. Applies to this browser only.`}
    >
      {permission === "unsupported" && (
        <p className="text-sm">
          <Trans>
            This browser can’t show notifications for this page. They need a current browser, and a gateway whose
            address begins with https:// or that runs on this computer.
          </Trans>
        </p>
      )}
      {permission === "denied" && (
        <p role="status" className="text-sm">
          <Trans>
            Your browser blocks notifications from this gateway. Allow them in the site settings, which the icon beside
            the address opens, and load this page again.
          </Trans>
        </p>
      )}
      {(permission === "default" || permission === "granted") && (
        <RadioGroup
          label={t`When a document arrives`}
          value={permission === "granted" ? choice : "off"}
          onValueChange={(next) => void choose(next)}
          choices={CHOICES}
        />
      )}
    </Section>
  );
}
