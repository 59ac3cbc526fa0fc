import { ConnectionsService } from '@app/connections';
import { DomainError, invariant, isId, notFound } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { type AuditAction, AuditLogService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { AgentStatus } from '../records/agent-status.js';
import type { AgentEntity } from '../records/agent.entity.js';
import { agentArchived, AgentRepository } from '../records/agent.repository.js';
import type { Actor } from './agents.service.js';

/** The agent is locked during the call, so its state cannot change before the update. */
export type AgentPrecondition = (agent: AgentEntity) => boolean;

export abstract class AgentArchivedListener {
  /** If the process crashes, workers do the work of this call again. An implementation must therefore be idempotent. */
  abstract agentArchived(agent: { id: string; workspaceId: string }): Promise<void>;
}

/** Requesting the current status changes nothing. */
@Injectable()
export class AgentLifecycleService {
  constructor(
    private readonly transactions: Transactions,
    private readonly agents: AgentRepository,
    private readonly connections: ConnectionsService,
    private readonly audit: AuditLogService,
    private readonly listener: AgentArchivedListener,
  ) {}

  /**
   * Stops the triggers of the agent. The API can still start runs.
   * @throws DomainError `not_found`, `agent_archived`, `precondition_failed`
   */
  pause(actor: Actor, agentId: string, isExpected?: AgentPrecondition): Promise<AgentEntity> {
    return this.change(actor, agentId, 'paused', isExpected);
  }

  /** Throws the same errors as {@link pause}. */
  resume(actor: Actor, agentId: string, isExpected?: AgentPrecondition): Promise<AgentEntity> {
    return this.change(actor, agentId, 'active', isExpected);
  }

  /**
   * Archives the agent: it accepts no new runs, and its name can be used again. Runs and evaluations that no worker has
   * started are cancelled. Runs that have started continue.
   * @throws DomainError `not_found`, `precondition_failed`
   */
  async archive(actor: Actor, agentId: string, isExpected?: AgentPrecondition): Promise<AgentEntity> {
    const agent = await this.change(actor, agentId, 'archived', isExpected);
    await this.listener.agentArchived(agent);
    return agent;
  }

  private async change(
    actor: Actor,
    agentId: string,
    to: AgentStatus,
    isExpected: AgentPrecondition | undefined,
  ): Promise<AgentEntity> {
    if (!isId('agent', agentId)) throw notFound('agent', agentId);
    return this.transactions.run(async (transaction) => {
      const agent = await this.lock(actor, agentId, isExpected, transaction);
      if (agent.status === to) return agent;
      if (agent.status === 'archived') throw agentArchived(agent);
      await this.agents.setStatus(agent, to, transaction);
      const detail = { from: agent.status, to };
      await this.audit.record(actor, { action: AUDITED[to], target: agentId, detail }, transaction);
      if (to === 'archived') await this.connections.endGrantsByName(actor, agent.name, transaction);
      const changed = await this.agents.find(actor.workspaceId, agentId, transaction);
      invariant(changed, 'an agent that was changed can be read');
      return changed;
    });
  }

  private async lock(
    { workspaceId }: Actor,
    agentId: string,
    isExpected: AgentPrecondition | undefined,
    transaction: Transaction,
  ): Promise<AgentEntity> {
    const agent = await this.agents.lock(workspaceId, agentId, transaction);
    if (!agent) throw notFound('agent', agentId);
    requireExpected(agent, isExpected);
    return agent;
  }
}

const AUDITED: Readonly<Record<AgentStatus, AuditAction>> = {
  active: 'agent.resume',
  paused: 'agent.pause',
  archived: 'agent.archive',
};

/** @throws DomainError `precondition_failed` */
export function requireExpected(agent: AgentEntity, isExpected: AgentPrecondition | undefined): void {
  if (isExpected && !isExpected(agent)) {
    throw new DomainError(
      'precondition_failed',
      `The agent ${JSON.stringify(agent.name)} no longer has the version in If-Match, because it was changed. Read the agent and try again.`,
    );
  }
}
