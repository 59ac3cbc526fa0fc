import { Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { KnowledgeBasesService } from '@app/knowledge';
import type { NamedKind } from './request-decorators.js';

const LONGEST_NAME = 200;

/** Finds resources by name. Ignores archived agents and deleted knowledge bases. */
@Injectable()
export class ResourceNamesService {
  constructor(
    private readonly agents: AgentsService,
    private readonly bases: KnowledgeBasesService,
  ) {}

  /** Returns undefined if the workspace has no such resource. */
  async idOf(workspaceId: string, kind: NamedKind, name: string): Promise<string | undefined> {
    // No resource has an empty or very long name. Postgres would reject a name with a NUL character.
    if (name === '' || name.length > LONGEST_NAME || name.includes('\0')) return undefined;
    return kind === 'agent' ? this.agents.idByName(workspaceId, name) : this.bases.idByName(workspaceId, name);
  }
}
