import { type Page, type PageRequest, toPage } from '@app/kernel';
import {
  And,
  type FindOptionsOrder,
  type FindOptionsWhere,
  type FindOperator,
  In,
  LessThan,
  MoreThan,
  type Repository,
} from 'typeorm';
import { orUnavailable } from './database-failure.js';

/**
 * Reads a page of the rows that match `where`, or one of its alternatives, in the order of their ids.
 * @param ids if it is a list, only these rows
 */
export async function findPage<Row extends { id: string }>(
  table: Repository<Row>,
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
  { limit, order, after }: PageRequest,
  ids?: readonly string[] | null,
): Promise<Page<Row>> {
  const conditions: FindOperator<unknown>[] = ids ? [In([...ids])] : [];
  if (after !== undefined) conditions.push(order === 'asc' ? MoreThan(after) : LessThan(after));
  const id = conditions.length > 0 && { id: And(...conditions) };
  const alternatives: FindOptionsWhere<Row>[] = Array.isArray(where) ? where : [where];
  const rows = table.find({
    where: alternatives.map((each) => ({ ...each, ...id })),
    order: { id: order } as FindOptionsOrder<Row>,
    take: limit + 1,
  });
  return toPage(await orUnavailable(rows), limit);
}
