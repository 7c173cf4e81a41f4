import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";

const MAX_TAG = 40;

interface NewTagDialogProps {
  open: boolean;
  onClose: () => void;
  onTag: (tag: string) => Promise<unknown>;
}

/** Asks for a new tag. Mount it when it opens: it forgets what was typed when it is unmounted. */
export function NewTagDialog({ open, onClose, onTag }: NewTagDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const [tag, setTag] = useState("");
  const tagging = useMutation({ mutationFn: onTag, onSuccess: onClose });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={t`New tag`}
      confirm={t`Add tag`}
      width="sm"
      initialFocus={field}
      ready={tag.trim() !== ""}
      action={tagging}
      onSubmit={() => tagging.mutate(tag.trim())}
    >
      <Field
        label={t`Tag`}
        hint={t`At most ${{ limit: MAX_TAG }} characters. Only you can see your tags. They do not travel with a document.`}
      >
        <Input
          ref={field}
          value={tag}
          maxLength={MAX_TAG}
          onChange={({ target }) => setTag(target.value)}
          autoComplete="off"
        />
      </Field>
    </FormDialog>
  );
}
