import { t } from "@lingui/core/macro";
import { EllipsisVertical } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./IconButton";
import { Menu } from "./Menu";

/** The menu of a row of a dense list. `name`: of what the row is about, as far as it is to be read aloud. */
export function RowMenu({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Menu
      trigger={
        <IconButton
          label={t`Actions for ${name}`}
          icon={<EllipsisVertical />}
          size="sm"
          className="md:h-6 pointer-coarse:md:h-11"
        />
      }
    >
      {children}
    </Menu>
  );
}
