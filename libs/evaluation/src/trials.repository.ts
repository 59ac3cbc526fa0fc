import type { JsonObject, SortOrder } from '@app/kernel';
import { orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import type { Creation, RunEntity, RunStepEntity } from '@app/runs';
import { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import type { TrialGrade } from './grade.js';

export type PlannedTrial = Pick<EvaluationTrialEntity, 'n' | 'caseN' | 'caseName' | 'trial' | 'baseline' | 'sourceRun'>;

export interface TrialRun {
  n: number;
  run: string;
  version: number;
  trigger: JsonObject;
  input: JsonObject;
  labels: JsonObject;
  files: Creation['files'];
  source: string | null;
}

export interface GradedTrialRecord {
  n: number;
  grade: TrialGrade;
  costMicros: string;
  durationMs: string | null;
}

const RUNS = 'runs';

const PLAN = 'select evaluation.plan_trials($1, $2, $3)';

const GRADE = `update evaluation_trials t
    set status = x.grade ->> 'result', grade = x.grade, cost_micros = x."costMicros", duration_ms = x."durationMs"
   from jsonb_to_recordset($2) as x(n integer, grade jsonb, "costMicros" bigint, "durationMs" bigint)
  where t.evaluation_id = $1 and t.n = x.n and t.status in ('pending', 'running')`;

const CANCEL = `update evaluation_trials set status = 'cancelled'
  where evaluation_id = $1 and workspace_id = $2 and status in ('pending', 'running')`;

const RECORDED = `select r.id from listed_runs l join runs r on r.workspace_id = l.workspace_id and r.id = l.id
  where l.workspace_id = $1 and l.agent_id = $2 and l.mode = 'production' and l.trigger_type not in ('evaluation', 'replay')
    and r.status = $3 and r.ended_at > clock_timestamp() - $4 * interval '1 millisecond'
  order by l.id desc limit $5`;

@Injectable()
export class TrialsRepository {
  constructor(@InjectRepository(EvaluationTrialEntity) private readonly table: Repository<EvaluationTrialEntity>) {}

  async insert(
    { workspaceId, id }: { workspaceId: string; id: string },
    trials: readonly PlannedTrial[],
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(PLAN, [id, workspaceId, JSON.stringify(trials)]);
  }

  all(workspaceId: string, evaluationId: string, transaction?: Transaction): Promise<EvaluationTrialEntity[]> {
    const table = transaction?.manager.getRepository(EvaluationTrialEntity) ?? this.table;
    return orUnavailable(table.find({ where: { workspaceId, evaluationId }, order: { n: 'asc' } }));
  }

  ofSeveral(
    workspaceId: string,
    evaluationIds: readonly string[],
    { order, limit }: { order: SortOrder; limit: number },
  ): Promise<EvaluationTrialEntity[]> {
    const where = { workspaceId, evaluationId: In([...evaluationIds]) };
    return orUnavailable(this.table.find({ where, order: { evaluationId: order, n: 'asc' }, take: limit }));
  }

  /** Counts trials that have a run but no grade. The run may have ended. */
  countRunning(workspaceId: string, evaluationId: string, { manager }: Transaction): Promise<number> {
    return manager.countBy(EvaluationTrialEntity, { workspaceId, evaluationId, status: 'running' });
  }

  countUnderWay(workspaceId: string, evaluationId: string, { manager }: Transaction): Promise<number> {
    return manager
      .createQueryBuilder(EvaluationTrialEntity, 'trial')
      .innerJoin(RUNS, 'run', 'run.id = trial.runId and run.workspaceId = trial.workspaceId')
      .where('trial.workspaceId = :workspaceId and trial.evaluationId = :evaluationId', { workspaceId, evaluationId })
      .andWhere(`trial.status = 'running' and run.endedAt is null`)
      .getCount();
  }

  pending(
    workspaceId: string,
    evaluationId: string,
    limit: number,
    { manager }: Transaction,
  ): Promise<EvaluationTrialEntity[]> {
    const where = { workspaceId, evaluationId, status: 'pending' as const };
    return manager.find(EvaluationTrialEntity, { where, order: { n: 'asc' }, take: limit });
  }

  ended(workspaceId: string, evaluationId: string, { manager }: Transaction): Promise<EvaluationTrialEntity[]> {
    return manager
      .createQueryBuilder(EvaluationTrialEntity, 'trial')
      .innerJoin(RUNS, 'run', 'run.id = trial.runId and run.workspaceId = trial.workspaceId')
      .where('trial.workspaceId = :workspaceId and trial.evaluationId = :evaluationId', { workspaceId, evaluationId })
      .andWhere(`trial.status = 'running' and run.endedAt is not null`)
      .orderBy('trial.n')
      .getMany();
  }

  async start(
    { workspaceId, agentId, id }: { workspaceId: string; agentId: string; id: string },
    { initiator, currency, runs }: { initiator: string; currency: string; runs: readonly TrialRun[] },
    { manager }: Transaction,
  ): Promise<{ verdict: string; started: string[] }> {
    const [row] = await manager.query<{ verdict: string; started: string[] }[]>(
      'select * from evaluation.start_trials($1, $2, $3, $4, $5, $6)',
      [workspaceId, agentId, id, initiator, currency, JSON.stringify(runs)],
    );
    return row!;
  }

  async grade(evaluationId: string, graded: readonly GradedTrialRecord[], { manager }: Transaction): Promise<void> {
    if (graded.length > 0) await manager.query(GRADE, [evaluationId, JSON.stringify(graded)]);
  }

  async cancel(workspaceId: string, evaluationId: string, { manager }: Transaction): Promise<void> {
    await manager.query(CANCEL, [evaluationId, workspaceId]);
  }

  async openRuns(workspaceId: string, evaluationId: string): Promise<string[]> {
    const query = this.table.manager
      .getRepository<RunEntity>(RUNS)
      .createQueryBuilder('run')
      .innerJoin(EvaluationTrialEntity, 'trial', 'trial.runId = run.id')
      .where('trial.evaluationId = :evaluationId and trial.workspaceId = :workspaceId', { workspaceId, evaluationId })
      .andWhere('run.endedAt is null');
    const found = await orUnavailable(query.getMany());
    return found.map(({ id }) => id);
  }

  async traces(
    workspaceId: string,
    ids: readonly string[],
    { manager }: Transaction,
  ): Promise<Map<string, { run: RunEntity; steps: RunStepEntity[] }>> {
    const named = { workspaceId, ids };
    const runs = await manager
      .getRepository<RunEntity>(RUNS)
      .createQueryBuilder('run')
      .where('run.workspaceId = :workspaceId and run.id = any (:ids)', named)
      .getMany();
    const steps = await manager
      .getRepository<RunStepEntity>('run_steps')
      .createQueryBuilder('step')
      .where('step.workspaceId = :workspaceId and step.runId = any (:ids)', named)
      .orderBy('step.n')
      .getMany();
    const byRun = new Map(
      runs.map((run): [string, { run: RunEntity; steps: RunStepEntity[] }] => [run.id, { run, steps: [] }]),
    );
    for (const step of steps) byRun.get(step.runId)?.steps.push(step);
    return byRun;
  }

  /**
   * Returns the ids of at most `sample` production runs of the agent that ended with `status` in the last `maxAgeMs`
   * milliseconds, newest first. Omits replays and runs of evaluations.
   */
  async recordedRuns(
    workspaceId: string,
    agentId: string,
    { status, maxAgeMs, sample }: { status: string; maxAgeMs: number; sample: number },
  ): Promise<string[]> {
    const values = [workspaceId, agentId, status, maxAgeMs, sample];
    const rows = await orUnavailable(this.table.query<{ id: string }[]>(RECORDED, values));
    return rows.map(({ id }) => id);
  }
}
