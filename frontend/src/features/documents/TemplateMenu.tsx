import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { draftsQuery } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Menu, MenuItem } from "@/components/ui/Menu";

/** Begins a document from one of the author's templates; nothing where there are none. */
export function TemplateMenu({ onTemplate }: { onTemplate: (template: DraftShown) => void }) {
  const templates = useInfiniteQuery(draftsQuery({ templates: true, sort: "name", descending: false }));
  const found = templates.data?.pages.flatMap(({ items }) => items) ?? [];
  if (found.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button icon={<FileText />}>
          <Trans>New from template</Trans>
        </Button>
      }
    >
      {found.map((template) => (
        <MenuItem key={template.id} onClick={() => onTemplate(template)}>
          <span dir="auto" className="wrap-anywhere line-clamp-2">
            {template.name}
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}
