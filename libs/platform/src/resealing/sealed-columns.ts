import type { SealedCell } from '@app/platform/crypto';
import type { Statement } from '@app/platform/database';
import type { Renewal, FoundRow, SealedTable } from './sealed-table.js';

export interface SealedColumns {
  table: string;
  /** Types of the columns of the primary key, by column name and in the order of the key. */
  key: Readonly<Record<string, 'text' | 'integer'>>;
  /** In the expression, `t` is the row of the table. */
  row: string;
  columns: readonly string[];
}

export function sealedBytes(
  described: SealedColumns,
  cellOf: (found: FoundRow, column: string) => SealedCell,
): SealedTable {
  const { table, columns } = described;
  const isStale = columns.map((column) => `substr(t.${column}, 1, 5) <> $3`).join(' or ');
  return {
    name: table,
    columns,
    holdsLookalikes: false,
    find: findStatement(described, isStale, (column) => `encode(t.${column}, 'base64')`),
    replace: replaceStatement(described, (column) => `decode(m.fresh ->> '${column}', 'base64')`),
    renew: (found, renewal) => renewedColumns(found, renewal, (column) => cellOf(found, column)),
  };
}

/** The JSON of every sealed value contains `marker`. */
export function sealedJson(described: SealedColumns, marker: string, renew: SealedTable['renew']): SealedTable {
  const { table, columns } = described;
  const text = `concat_ws(' ', ${columns.map((column) => `t.${column}`).join(', ')})`;
  const mayBeStale = `strpos(${text}, '${marker}') > 0 and $3::bytea is not null`;
  return {
    name: table,
    columns,
    holdsLookalikes: true,
    find: findStatement(described, mayBeStale, (column) => `t.${column}`),
    replace: replaceStatement(described, (column) => `m.fresh -> '${column}'`),
    renew,
  };
}

function findStatement(
  { table, key, row, columns }: SealedColumns,
  isWanted: string,
  read: (column: string) => string,
): Statement {
  const keys = Object.keys(key).map((column) => `t.${column}`);
  const after = Object.values(key).map((type, i) => `coalesce(${keyPart('$1::jsonb', type, i)}, ${SMALLEST[type]})`);
  const values = columns.map((column) => `'${column}', ${read(column)}`);
  return {
    name: `resealing.find_${table}`,
    text: `select jsonb_build_array(${keys.join(', ')}) as key, t.xmin::text as revision, t.workspace_id as workspace, ${row} as row,
        case when ${isWanted} then jsonb_build_object(${values.join(', ')}) end as values
      from ${table} t where (${keys.join(', ')}) > (${after.join(', ')}) order by ${keys.join(', ')} limit $2`,
  };
}

function replaceStatement({ table, key, columns }: SealedColumns, fresh: (column: string) => string): Statement {
  const keys = Object.keys(key);
  const found = Object.entries(key).map(([column, type], i) => `t.${column} = ${keyPart("f -> 'key'", type, i)}`);
  return {
    name: `resealing.replace_${table}`,
    text: `with mine as (
        select ${keys.map((column) => `t.${column}`).join(', ')}, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f join ${table} t on ${found.join(' and ')}
        where t.xmin::text = f ->> 'revision'
        for update of t skip locked
      )
      update ${table} t set ${columns.map((column) => `${column} = coalesce(${fresh(column)}, t.${column})`).join(', ')}
      from mine m where ${keys.map((column) => `t.${column} = m.${column}`).join(' and ')}
      returning 1`,
  };
}

function renewedColumns(
  { values }: FoundRow,
  renewal: Renewal,
  cellOf: (column: string) => SealedCell,
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const [column, value] of Object.entries(values ?? {})) {
    if (typeof value !== 'string') continue;
    const renewed = renewal.renewed(Buffer.from(value, 'base64'), cellOf(column));
    if (renewed) changed[column] = renewed.toString('base64');
  }
  return changed;
}

// The first page reads the rows after these values, so the same condition works for every page.
const SMALLEST = { text: `''`, integer: '0' } as const;

function keyPart(key: string, type: 'text' | 'integer', position: number): string {
  return `(${key} ->> ${position})::${type}`;
}
