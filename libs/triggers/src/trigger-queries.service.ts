import { Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { FireTimes } from '@app/definition';
import { type Page, type PageRequest } from '@app/kernel';
import { SnapshotsService } from '@app/platform/database';
import { WorkspaceStore } from '@app/workspace';
import type { TriggerEventEntity } from './trigger-event.entity.js';
import { type TriggerEventFilter, isFailure } from './trigger-outcome.js';
import { TriggerLogRepository } from './trigger-log.repository.js';
import type { TriggerEntity } from './trigger.entity.js';
import { TriggerRepository } from './trigger.repository.js';

export interface TriggerHealth {
  trigger: TriggerEntity;
  isEnabled: boolean;
  nextFireAt: Date | null;
  lastEventAt: Date | null;
  /** After a later event has succeeded, it is null again. */
  lastError: string | null;
  /** `error`: the latest event was refused or failed, the mailbox cannot be watched, or the latest poll failed. */
  health: 'ok' | 'error';
}

@Injectable()
export class TriggerQueriesService {
  constructor(
    private readonly agents: AgentsService,
    private readonly workspaces: WorkspaceStore,
    private readonly triggers: TriggerRepository,
    private readonly log: TriggerLogRepository,
    private readonly snapshots: SnapshotsService,
  ) {}

  /** @throws DomainError `not_found` */
  async list(workspaceId: string, agentId: string): Promise<TriggerHealth[]> {
    const [agent, workspace, triggers, latest] = await this.snapshots.read(() =>
      Promise.all([
        this.agents.get(workspaceId, agentId),
        this.workspaces.get(workspaceId),
        this.triggers.ofAgent(workspaceId, agentId),
        this.log.latest(workspaceId, agentId),
      ]),
    );
    const isEnabled = agent.status === 'active' && workspace.state === 'active';
    return triggers.map((trigger) => {
      const last = latest.find(({ id }) => id === trigger.id);
      const isFailing = Boolean(last?.watch_error) || (last?.last_outcome ? isFailure(last.last_outcome) : false);
      return {
        trigger,
        isEnabled,
        nextFireAt: isEnabled ? (last?.poll_due_at ?? nextFireTime(trigger)) : null,
        lastEventAt: last?.last_event_at ?? null,
        lastError: isFailing ? (last?.last_error ?? null) : null,
        health: isFailing ? 'error' : 'ok',
      };
    });
  }

  /** @throws DomainError `not_found` */
  async events(
    workspaceId: string,
    agentId: string,
    filter: TriggerEventFilter,
    page: PageRequest,
  ): Promise<Page<TriggerEventEntity>> {
    await this.agents.get(workspaceId, agentId);
    return this.log.page(workspaceId, agentId, filter, page);
  }
}

function nextFireTime({ fireAt, cron, timezone, activeSince }: TriggerEntity): Date | null {
  if (fireAt || cron === null || timezone === null) return fireAt;
  return new FireTimes(cron, timezone).next(activeSince) ?? null;
}
