import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const KEY = { primaryKeyConstraintName: 'budget_reservations_pk' };

/**
 * Part of an agent's daily budget that a running turn has reserved. Written by sql/reserve_budget.sql and
 * sql/record_costs.sql.
 */
@Entity('budget_reservations')
@Index('budget_reservations_agent_ix', ['agentId'])
export class BudgetReservationEntity {
  @PrimaryColumn({ name: 'run_id', type: 'text', collation: 'C', ...KEY })
  runId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', ...KEY })
  path: string;

  @Column({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @Column({ type: 'bigint' })
  micros: string;
}
