import type { PageRequest } from '@app/kernel';
import { orUnavailable } from '@app/platform/database';
import type { Repository } from 'typeorm';

/** A workspace has few of these rows, so no index supports their order. */
export interface NamedRow {
  workspaceId: string;
  name: string;
  createdAt: Date;
}

const BEYOND = {
  asc: '(row.createdAt, row.name) > (:createdAt, :name)',
  desc: '(row.createdAt, row.name) < (:createdAt, :name)',
} as const;

const TIME_LENGTH = 24;

/** Lists are ordered by time of creation, to the millisecond, and then by name. */
export function listKeyOf({ createdAt, name }: Pick<NamedRow, 'createdAt' | 'name'>): string {
  return `${createdAt.toISOString()}${name}`;
}

function placeOf(key: string): Pick<NamedRow, 'createdAt' | 'name'> {
  return { createdAt: new Date(key.slice(0, TIME_LENGTH)), name: key.slice(TIME_LENGTH) };
}

export abstract class NamedRowsRepository<Row extends NamedRow> {
  protected constructor(protected readonly table: Repository<Row>) {}

  protected pageOf(
    columns: readonly (keyof Row & string)[],
    workspaceId: string,
    { limit, order, after }: PageRequest,
  ): Promise<Row[]> {
    const direction = order === 'asc' ? 'ASC' : 'DESC';
    const query = this.table
      .createQueryBuilder('row')
      .select(columns.map((column) => `row.${column}`))
      .where('row.workspaceId = :workspaceId', { workspaceId })
      .orderBy({ 'row.createdAt': direction, 'row.name': direction })
      .limit(limit + 1);
    if (after !== undefined) {
      query.andWhere(BEYOND[order], placeOf(after));
    }
    return orUnavailable(query.getMany());
  }
}
