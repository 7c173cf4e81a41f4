import { t } from "@lingui/core/macro";
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { NothingYet, PagedError, type usePagedRows } from "@/components/paged-rows";
import { Button } from "@/components/ui/Button";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { Skeleton } from "@/components/ui/Skeleton";

interface FilteredTableProps<Row extends { id: string }> {
  found: ReturnType<typeof usePagedRows<Row>>;
  /** Whether any filter applies. */
  filtered: boolean;
  filters: ReactNode;
  columns: readonly Column<Row>[];
  caption: string;
  /** "the transfers". */
  what: string;
  loading: string;
  /** No row matches the filters. */
  noMatch: string;
  onClear: () => void;
  /** Without filters, there is none. */
  empty: ReactNode;
}

/** A table whose rows load page by page, below its filters. */
export function FilteredTable<Row extends { id: string }>(props: FilteredTableProps<Row>) {
  const { found, filtered } = props;
  const none = found.rows?.length === 0 && !found.isPlaceholderData;
  return (
    <>
      {(filtered || !none) && (
        <div className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:flex sm:flex-wrap">{props.filters}</div>
      )}
      <PagedError found={found} what={props.what} />
      {found.isPending && <Skeleton lines={5} label={props.loading} />}
      {found.rows && found.rows.length > 0 && (
        <DataTable
          dense
          caption={props.caption}
          columns={props.columns}
          rows={found.rows}
          rowId={({ id }) => id}
          stale={found.isPlaceholderData}
          footer={found.more}
        />
      )}
      {none && !filtered && props.empty}
      {none && found.more && <NothingYet more={found.more} />}
      {none && filtered && !found.more && (
        <EmptyState
          icon={<SearchX aria-hidden />}
          title={props.noMatch}
          action={<Button onClick={props.onClear}>{t`Clear filters`}</Button>}
        >
          {t`Remove a filter, or try a different name.`}
        </EmptyState>
      )}
    </>
  );
}
