import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const KEY = { primaryKeyConstraintName: 'budget_reservations_pk' };

/**
 * The amount of an agent's daily budget that a running model turn has reserved. Only sql/reserve_budget.sql and
 * sql/record_costs.sql write it.
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
