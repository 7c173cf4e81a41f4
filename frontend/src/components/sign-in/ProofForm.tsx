import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { type FormEvent, useState } from "react";
import { hasPasskeys } from "@/api/passkeys";
import { Problem } from "@/api/problem";
import type { Methods, TypedProof } from "@/api/session";
import { durationText } from "@/lib/durations";
import { useCountdown } from "@/lib/use-countdown";
import { PasswordInput } from "../PasswordInput";
import { Button } from "../ui/Button";
import { ErrorPanel } from "../ui/ErrorPanel";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { CodeInput } from "./CodeInput";

type Way = Exclude<keyof Methods, "sso">;

interface ProofFormProps<Answer> {
  methods: Methods;
  /** The text of the button: "Sign in". */
  confirm: string;
  give: (proof: "passkey" | TypedProof) => Promise<Answer>;
  onGiven: (answer: Answer) => void;
}

const ORDER: readonly Way[] = ["passkey", "app", "password", "recovery_code"];

/** Asks a person to prove that it is them, in one of the ways that they have. The others are offered below. */
export function ProofForm<Answer>({ methods, confirm, give, onGiven }: ProofFormProps<Answer>) {
  const ways = ORDER.filter((way) => methods[way] && (way !== "passkey" || hasPasskeys()));
  const [way, setWay] = useState<Way | undefined>(ways[0]);
  const [typed, setTyped] = useState("");
  const [waitS, wait] = useCountdown();
  const giving = useMutation({
    mutationFn: give,
    onSuccess: onGiven,
    onError: (error) => {
      setTyped("");
      if (error instanceof Problem && error.status === 429) wait(error.retryAfterS ?? 30);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (way === undefined || waitS > 0 || giving.isPending) return;
    if (way === "passkey") giving.mutate("passkey");
    else if (typed.trim() !== "") giving.mutate(proofOf(way, typed));
  };
  if (way === undefined) {
    return (
      <p className="text-sm">
        {t`None of your second factors works at this address, and you have no recovery codes left. Ask an admin to remove your second factor.`}
      </p>
    );
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4" noValidate>
      {way === "passkey" && <p className="text-sm">{t`Use your fingerprint, face, PIN or security key.`}</p>}
      {way !== "passkey" && <ProofField key={way} way={way} value={typed} onChange={setTyped} />}
      {giving.error && !(giving.error instanceof Problem && giving.error.status === 429 && waitS === 0) && (
        <ErrorPanel problem={giving.error} />
      )}
      <Button
        type="submit"
        tone="primary"
        busy={giving.isPending}
        disabled={waitS > 0}
        icon={way === "passkey" && <Fingerprint aria-hidden />}
        autoFocus={way === "passkey"}
        className="w-full"
      >
        {waitS > 0
          ? t`Wait ${{ time: durationText(waitS * 1000) }}`
          : way === "passkey"
            ? t`Use your passkey`
            : confirm}
      </Button>
      {ways.length > 1 && (
        <div className="flex flex-col gap-2 border-line border-t pt-4">
          <p className="text-quiet text-sm">
            <Trans>Or choose another way:</Trans>
          </p>
          {ways
            .filter((other) => other !== way)
            .map((other) => (
              <Button
                key={other}
                onClick={() => {
                  setWay(other);
                  setTyped("");
                  giving.reset();
                }}
              >
                {NAMES[other]}
              </Button>
            ))}
        </div>
      )}
    </form>
  );
}

const NAMES: Readonly<Record<Way, string>> = {
  passkey: t`Use your passkey`,
  app: t`Use your authenticator app`,
  password: t`Use your password`,
  recovery_code: t`Use a recovery code`,
};

function proofOf(way: Exclude<Way, "passkey">, typed: string): TypedProof {
  if (way === "password") return { password: typed };
  return way === "app" ? { code: typed } : { recovery_code: typed };
}

function ProofField({
  way,
  value,
  onChange,
}: {
  way: Exclude<Way, "passkey">;
  value: string;
  onChange: (value: string) => void;
}) {
  if (way === "password") {
    return (
      <Field label={t`Password`}>
        <PasswordInput
          name="password"
          autoComplete="current-password"
          autoFocus
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
    );
  }
  if (way === "app") {
    return (
      <Field label={t`Code from your authenticator app`} hint={t`6 digits. Each code works once.`}>
        <CodeInput value={value} onChange={onChange} />
      </Field>
    );
  }
  return (
    <Field label={t`Recovery code`} hint={t`One of the codes that you saved when you added your second factor.`}>
      <Input
        name="recovery-code"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        autoFocus
        className="font-mono"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
