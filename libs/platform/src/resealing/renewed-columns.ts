import type { SealedCell } from '@app/platform/crypto';
import type { Renewal } from './renewal.js';
import type { FoundRow } from './sealed-table.js';

/** {@link SealedTable.renew} for columns that hold one sealed value each. */
export function renewedColumns(
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
