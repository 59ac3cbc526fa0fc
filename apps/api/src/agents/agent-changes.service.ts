import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { AgentEntity, AgentPrecondition } from '@app/agents';
import type { ExpectedVersions } from '@app/kernel';
import { SnapshotsService } from '@app/platform/database';
import { type Principal, type WorkspaceEntity, WorkspaceStore } from '@app/workspace';
import { contentVersion, tagged } from '../http/answers.js';
import { AgentReaderService } from './agent-reader.service.js';
import { AgentResource } from './agents.api.js';
import { presentAgent } from './agents.view.js';

export interface ConditionalRequest {
  expected?: ExpectedVersions;
  response: Response;
}

@Injectable()
export class AgentChangesService {
  constructor(
    private readonly workspaces: WorkspaceStore,
    private readonly snapshots: SnapshotsService,
    private readonly reader: AgentReaderService,
  ) {}

  /** Reads the agent and the workspace from one database snapshot. */
  read(principal: Principal, response: Response, agent: () => Promise<AgentEntity>): Promise<AgentResource> {
    return this.snapshots.read(() => this.answer(principal, { response }, agent));
  }

  /**
   * Responds with the agent that `work` returns, and sets the `ETag` header. `work` receives the precondition from
   * `If-Match` and must check it.
   */
  async answer(
    { workspaceId }: Principal,
    { expected, response }: ConditionalRequest,
    work: (isExpected: AgentPrecondition | undefined) => Promise<AgentEntity>,
  ): Promise<AgentResource> {
    const workspace = await this.workspaces.get(workspaceId);
    const agent = await work(preconditionOf(expected, workspace));
    const resource = await this.reader.present(agent, workspace);
    return tagged(response, contentVersion(presentAgent(agent, workspace)), resource);
  }

  /** Returns the precondition from `If-Match`. The caller must check it while it holds the lock on the agent. */
  async precondition({ workspaceId }: Principal, expected: ExpectedVersions): Promise<AgentPrecondition | undefined> {
    return preconditionOf(expected, await this.workspaces.get(workspaceId));
  }
}

function preconditionOf(expected: ExpectedVersions, workspace: WorkspaceEntity): AgentPrecondition | undefined {
  return expected && ((agent) => expected.has(contentVersion(presentAgent(agent, workspace))));
}
