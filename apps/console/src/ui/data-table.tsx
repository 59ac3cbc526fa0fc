import { ArrowDown, ArrowUp } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import type { PagedList } from '../data/paged-list.js';
import { Button } from './button.js';
import { Card } from './page.js';
import { OldRows, SkeletonRows } from './skeleton.js';
import styles from './table.module.css';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /**
   * Kind of the column. Numbers are right-aligned, and the column of actions has no visible heading. A narrow table hides
   * the optional columns, and before them those that only a wide table has.
   */
  kind?: 'number' | 'optional' | 'optional-number' | 'wide' | 'actions';
  /** The heading is a button that sorts the rows. Without a direction, another column sorts them. */
  sort?: { direction?: 'ascending' | 'descending'; onSort: () => void };
}

const CLASSES: Readonly<Record<NonNullable<Column<unknown>['kind']>, string | undefined>> = {
  number: styles.number,
  optional: styles.optional,
  'optional-number': `${styles.number} ${styles.optional}`,
  wide: styles.wide,
  actions: styles.rowActions,
};

export interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Details of a row, shown below it over all columns; null for none. */
  below?: (row: Row) => ReactNode;
  /** Heading of a row. Rows with the same heading are below one heading. */
  heading?: (row: Row) => string;
}

export function DataTable<Row>({ label, columns, rows, rowKey, below, heading }: DataTableProps<Row>): ReactNode {
  const classOf = ({ kind }: Column<Row>): string | undefined => (kind === undefined ? undefined : CLASSES[kind]);
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classOf(column)} aria-sort={column.sort?.direction}>
                <HeadingText column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Fragment key={rowKey(row)}>
              {heading !== undefined && (
                <Heading {...{ heading, row, before: rows[index - 1] }} span={columns.length} />
              )}
              <tr>
                {columns.map((column) => (
                  <td key={column.name} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
              {below !== undefined && <Below columns={columns.length}>{below(row)}</Below>}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeadingText<Row>({ column: { name, kind, sort } }: { column: Column<Row> }): ReactNode {
  if (kind === 'actions') return <span className="visually-hidden">{name}</span>;
  if (sort === undefined) return name;
  return (
    <button type="button" className={styles.sort} onClick={sort.onSort}>
      {name}
      {sort.direction === 'ascending' && <ArrowUp size={12} aria-hidden />}
      {sort.direction === 'descending' && <ArrowDown size={12} aria-hidden />}
    </button>
  );
}

interface HeadingProps<Row> {
  heading: (row: Row) => string;
  row: Row;
  before: Row | undefined;
  span: number;
}

function Heading<Row>({ heading, row, before, span }: HeadingProps<Row>): ReactNode {
  const text = heading(row);
  if (before !== undefined && heading(before) === text) return null;
  return (
    <tr className={styles.heading}>
      <th colSpan={span} scope="colgroup">
        {text}
      </th>
    </tr>
  );
}

function Below({ columns, children }: { columns: number; children: ReactNode }): ReactNode {
  if (children === null) return null;
  return (
    <tr className={styles.below}>
      <td colSpan={columns}>{children}</td>
    </tr>
  );
}

export interface PagedTableProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  list: PagedList<Row>;
  /** Shown instead of the table if it has no rows. */
  empty: ReactNode;
}

/** A table with a button that loads the next page of rows. */
export function PagedTable<Row>({ list, empty, ...table }: PagedTableProps<Row>): ReactNode {
  if (list.isPending) return <SkeletonRows />;
  if (list.error !== null && list.items.length === 0) return null;
  return (
    <>
      <OldRows isOld={list.isOld} />
      <Card flush>
        {list.items.length === 0 ? empty : <DataTable {...table} rows={list.items} />}
        {list.hasMore && (
          <div className={styles.more}>
            <Button onClick={list.readMore} refusal={list.isReadingMore ? 'The next page is being read.' : null}>
              Show more
            </Button>
          </div>
        )}
      </Card>
    </>
  );
}
