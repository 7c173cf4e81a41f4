import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { confirmApp, setUpApp } from "@/api/factors";
import { CodeInput } from "../sign-in/CodeInput";
import { Button } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { ErrorPanel } from "../ui/ErrorPanel";
import { Field } from "../ui/Field";
import { Loaded } from "../ui/Loaded";
import { QrCode } from "./QrCode";

/** Sets up an authenticator app. `onAdded` gets recovery codes with the first factor. */
export function SetUpAppForm({ onAdded }: { onAdded: (codes: readonly string[] | null) => void }) {
  const [code, setCode] = useState("");
  // Once for each form: another answer would make what was scanned useless.
  const [key] = useState(() => crypto.randomUUID());
  const app = useQuery({
    queryKey: ["app", key],
    queryFn: setUpApp,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const confirming = useMutation({
    mutationFn: () => confirmApp(code),
    onSuccess: onAdded,
    onError: () => setCode(""),
    gcTime: 0,
  });
  const ready = code.trim() !== "" && app.data !== undefined;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !confirming.isPending) confirming.mutate();
      }}
    >
      <p className="text-sm">
        <Trans>
          Scan this code with an authenticator app on your phone. Then enter the 6 digits that the app shows.
        </Trans>
      </p>
      <Loaded query={app} what={t`the code`}>
        {({ qr, secret }) => (
          <div className="flex flex-col gap-3">
            <QrCode rows={qr} label={t`QR code for your authenticator app`} />
            <div className="text-sm">
              <p className="text-quiet">
                <Trans>If you cannot scan it, enter this key in the app:</Trans>
              </p>
              <div className="mt-1 flex items-center justify-between gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
                <code className="wrap-anywhere font-mono">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
                <CopyButton text={secret} what={t`key`} />
              </div>
            </div>
          </div>
        )}
      </Loaded>
      <Field label={t`Code from your authenticator app`}>
        <CodeInput value={code} onChange={setCode} />
      </Field>
      {confirming.error && <ErrorPanel problem={confirming.error} />}
      <Button type="submit" tone="primary" busy={confirming.isPending} disabled={!ready}>
        {t`Add authenticator app`}
      </Button>
    </form>
  );
}
