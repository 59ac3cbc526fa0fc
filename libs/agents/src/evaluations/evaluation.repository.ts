import type { Page, PageRequest } from '@app/kernel';
import { findPage, orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Not, Repository } from 'typeorm';
import { DUE_ROWS } from './due-evaluations.js';
import {
  type EvaluatedVersion,
  type EvaluationChange,
  EvaluationEntity,
  type EvaluationOutcome,
  type NewEvaluation,
} from './evaluation.entity.js';

const OPEN = ['queued', 'running'] as const;

const TAKE_DUE: Statement = {
  name: 'evaluations.take_due',
  text: `update evaluations e set looked_at = clock_timestamp()
    where e.id in (
      select d.id from ${DUE_ROWS}
       order by d.looked_at limit $1 for no key update of d skip locked)
    returning e.workspace_id, e.id`,
};

@Injectable()
export class EvaluationRepository {
  constructor(
    @InjectRepository(EvaluationEntity) private readonly table: Repository<EvaluationEntity>,
    private readonly statements: Statements,
  ) {}

  find(workspaceId: string, id: string, transaction?: Transaction): Promise<EvaluationEntity | null> {
    const table = transaction?.manager.getRepository(EvaluationEntity) ?? this.table;
    return orUnavailable(table.findOneBy({ workspaceId, id }));
  }

  page({ workspaceId, agentId, version }: EvaluatedVersion, page: PageRequest): Promise<Page<EvaluationEntity>> {
    return findPage(this.table, { workspaceId, agentId, version }, page);
  }

  /** Ignores cancelled evaluations. */
  latest(version: EvaluatedVersion, { manager }: Transaction): Promise<EvaluationEntity | null> {
    return manager.findOne(EvaluationEntity, {
      where: { ...version, status: Not('cancelled') },
      order: { id: 'desc' },
    });
  }

  open(version: EvaluatedVersion, { manager }: Transaction): Promise<EvaluationEntity | null> {
    return manager.findOneBy(EvaluationEntity, { ...version, status: In([...OPEN]) });
  }

  async insert(evaluation: NewEvaluation, { manager }: Transaction): Promise<void> {
    await manager.insert(EvaluationEntity, evaluation);
  }

  lock(workspaceId: string, id: string, { manager }: Transaction): Promise<EvaluationEntity | null> {
    return manager.findOne(EvaluationEntity, { where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async change(
    { workspaceId, id }: EvaluationEntity,
    change: EvaluationChange,
    { manager }: Transaction,
  ): Promise<void> {
    await manager.update(EvaluationEntity, { workspaceId, id }, { ...change, lookedAt: () => 'clock_timestamp()' });
  }

  /** The caller must hold the lock of the evaluation. */
  async end(
    { workspaceId, id }: EvaluationEntity,
    outcome: EvaluationOutcome,
    { manager }: Transaction,
  ): Promise<void> {
    const { cases, gate, ...rest } = outcome;
    const clock = () => 'clock_timestamp()';
    await manager.update(
      EvaluationEntity,
      { workspaceId, id },
      { ...rest, cases, gate, endedAt: clock, lookedAt: clock },
    );
  }

  countRunning(workspaceId: string, { manager }: Transaction): Promise<number> {
    return manager.countBy(EvaluationEntity, { workspaceId, status: 'running' });
  }

  /**
   * Claims up to `limit` evaluations that are not `settled` and that no worker has processed for a second. In a stopped
   * workspace, claims only evaluations that have ended but are not `settled`.
   */
  async takeDue(limit: number): Promise<{ workspaceId: string; id: string }[]> {
    const rows = await this.statements.query<{ workspace_id: string; id: string }>(TAKE_DUE, [limit]);
    return rows.map(({ workspace_id: workspaceId, id }) => ({ workspaceId, id }));
  }

  async openOfAgent(workspaceId: string, agentId: string): Promise<string[]> {
    const found = await orUnavailable(this.table.findBy({ workspaceId, agentId, status: In([...OPEN]) }));
    return found.map(({ id }) => id);
  }
}
