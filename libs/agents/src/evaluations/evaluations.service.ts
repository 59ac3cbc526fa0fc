import { invariant, isId, notFound, type Page, type PageRequest } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { recordEvent } from '@app/events';
import { Injectable } from '@nestjs/common';
import type { AgentEntity } from '../records/agent.entity.js';
import { AgentRepository } from '../records/agent.repository.js';
import { AgentVersionsService } from '../lifecycle/agent-versions.service.js';
import type {
  EvaluatedVersion,
  EvaluationChange,
  EvaluationEntity,
  EvaluationOutcome,
  NewEvaluation,
} from './evaluation.entity.js';
import { EvaluationRepository } from './evaluation.repository.js';

@Injectable()
export class EvaluationsService {
  constructor(
    private readonly evaluations: EvaluationRepository,
    private readonly agents: AgentRepository,
    private readonly versions: AgentVersionsService,
  ) {}

  /** @throws DomainError `not_found`, also for a malformed id and for an evaluation of another workspace */
  async get(workspaceId: string, id: string): Promise<EvaluationEntity> {
    const found = isId('evaluation', id) ? await this.evaluations.find(workspaceId, id) : null;
    if (!found) throw notFound('evaluation', id);
    return found;
  }

  async list(evaluated: EvaluatedVersion, page: PageRequest): Promise<Page<EvaluationEntity>> {
    await this.versions.get(evaluated.workspaceId, evaluated.agentId, evaluated.version);
    return this.evaluations.page(evaluated, page);
  }

  /**
   * Locks the agent, so that its evaluations start one after the other.
   * @throws DomainError `not_found`, `agent_archived`
   */
  async lockAgent(workspaceId: string, agentId: string, transaction: Transaction): Promise<AgentEntity> {
    const agent = await this.agents.lockActive(workspaceId, agentId, transaction);
    return agent;
  }

  findOpen(evaluated: EvaluatedVersion, transaction: Transaction): Promise<EvaluationEntity | null> {
    return this.evaluations.open(evaluated, transaction);
  }

  async add(evaluation: NewEvaluation, transaction: Transaction): Promise<EvaluationEntity> {
    await this.evaluations.insert(evaluation, transaction);
    const added = await this.evaluations.find(evaluation.workspaceId, evaluation.id, transaction);
    invariant(added, 'an evaluation that was inserted can be read');
    return added;
  }

  async lock(
    workspaceId: string,
    id: string,
    transaction: Transaction,
  ): Promise<{ evaluation: EvaluationEntity; isArchived: boolean } | null> {
    const evaluation = await this.evaluations.lock(workspaceId, id, transaction);
    if (!evaluation) return null;
    const agent = await this.agents.find(workspaceId, evaluation.agentId, transaction);
    return { evaluation, isArchived: agent?.status === 'archived' };
  }

  change(evaluation: EvaluationEntity, change: EvaluationChange, transaction: Transaction): Promise<void> {
    return this.evaluations.change(evaluation, change, transaction);
  }

  /** The caller must hold the lock and have checked that the evaluation is open. */
  async end(evaluation: EvaluationEntity, outcome: EvaluationOutcome, transaction: Transaction): Promise<void> {
    await this.evaluations.end(evaluation, outcome, transaction);
    const { id, workspaceId, agentId: agent, version } = evaluation;
    const { status, gate, cases } = outcome;
    const data = { evaluation: id, agent, version, status, gate: gate ?? { result: null, reasons: [] }, cases };
    await recordEvent(workspaceId, { type: 'evaluation.completed', data }, transaction);
  }

  countRunning(workspaceId: string, transaction: Transaction): Promise<number> {
    return this.evaluations.countRunning(workspaceId, transaction);
  }

  takeDue(limit: number): Promise<{ workspaceId: string; id: string }[]> {
    return this.evaluations.takeDue(limit);
  }

  openOfAgent(workspaceId: string, agentId: string): Promise<string[]> {
    return this.evaluations.openOfAgent(workspaceId, agentId);
  }
}
