import { Trans } from "@lingui/react/macro";
import { Check, Plus } from "lucide-react";
import type { ReactElement } from "react";
import { Menu, MenuItem, MenuNote, MenuSeparator } from "@/components/ui/Menu";

interface TagMenuProps {
  trigger: ReactElement;
  /** The person's tags. */
  tags: readonly { readonly name: string }[];
  /** The tags of each selected document, as far as they are loaded. */
  selected: readonly (readonly string[])[];
  onTag: (tag: string) => void;
  onUntag: (tag: string) => void;
  onNew: () => void;
}

/** A person's tags: choosing one adds it to the selected documents, or removes it if all of them have it. */
export function TagMenu({ trigger, tags, selected, onTag, onUntag, onNew }: TagMenuProps) {
  return (
    <Menu trigger={trigger}>
      {tags.map(({ name }) => {
        const all = selected.length > 0 && selected.every((theirs) => theirs.includes(name));
        return (
          <MenuItem
            key={name}
            icon={<Check aria-hidden className={all ? "" : "invisible"} />}
            onClick={() => (all ? onUntag(name) : onTag(name))}
          >
            <span dir="auto" className="wrap-anywhere">
              {all ? (
                <Trans>
                  <span className="sr-only">Remove</span> {name}
                </Trans>
              ) : (
                name
              )}
            </span>
          </MenuItem>
        );
      })}
      {tags.length === 0 && (
        <MenuNote>
          <Trans>Only you can see your tags.</Trans>
        </MenuNote>
      )}
      {tags.length > 0 && <MenuSeparator />}
      <MenuItem icon={<Plus aria-hidden />} onClick={onNew}>
        <Trans>New tag</Trans>
      </MenuItem>
    </Menu>
  );
}
