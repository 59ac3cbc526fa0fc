import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AgentVersionsService, Promotions } from '@app/agents';
import type { ExpectedVersions } from '@app/kernel';
import type { Principal } from '@app/workspace';
import { AgentChanges } from '../agents/agent-changes.js';
import { RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { StoredDefinition, type SubmittedDefinition, YAML_DEFINITION } from '../http/definition-body.js';
import { ListPages, type PagedList, PageQuery } from '../http/list-pages.js';
import { CurrentPrincipal, IfMatch, PathId, PathVersion, QueryParameters } from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { ETAG_HEADER, Operation, Tag } from '../openapi/operation.js';
import {
  AgentVersionResource,
  CreatedAgentVersionResource,
  PromotionResource,
  VersionComparison,
} from './agent-versions.api.js';
import {
  presentComparison,
  presentCreatedVersion,
  presentPromotion,
  presentVersion,
  presentVersionAs,
} from './agent-versions.view.js';

@Tag('Agents')
@Controller('v1/agents/:id/versions')
export class AgentVersionsController {
  constructor(
    private readonly versions: AgentVersionsService,
    private readonly promotions: Promotions,
    private readonly changes: AgentChanges,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @Operation('List the versions of an agent', {
    200: { description: 'One page of versions.', page: AgentVersionResource },
  })
  listAgentVersions(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<AgentVersionResource>> {
    const read = this.versions.list.bind(this.versions, workspaceId, agentId);
    return this.pages.answer(query, { list: `agents/${agentId}/versions`, workspaceId, read, present: presentVersion });
  }

  @Post()
  @RequireScopes('agents:write')
  @Operation('Create the next version of an agent', {
    description: 'The production version stays what it is.',
    201: { description: 'The new version.', type: CreatedAgentVersionResource, location: 'The version.' },
    200: {
      description: 'The latest version, which has this very definition.',
      type: CreatedAgentVersionResource,
      location: 'The version.',
    },
    problems: [...IDEMPOTENCY_PROBLEMS, 'agent_archived', 'name_taken'],
  })
  async createAgentVersion(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @StoredDefinition() { definition, claim }: SubmittedDefinition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedAgentVersionResource> {
    const made = answered(response, await this.versions.create(principal, agentId, definition, claim));
    const location = `/v1/agents/${agentId}/versions/${made.version.version}`;
    return created(response, location, presentCreatedVersion(made), made.created);
  }

  @Get(':n')
  @RequireScopes('agents:read')
  @Operation('A version of an agent with its definition', {
    200: {
      description: 'JSON, or the submitted text.',
      type: AgentVersionResource,
      headers: ETAG_HEADER,
      content: YAML_DEFINITION,
    },
    problems: ['not_acceptable'],
  })
  async getAgentVersion(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathVersion('n') version: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentVersionResource | string> {
    return presentVersionAs(request, response, await this.versions.get(workspaceId, agentId, version));
  }

  @Get(':a/diff/:b')
  @RequireScopes('agents:read')
  @Operation('What changes from one version to another', {
    description: 'To be read before promoting: every value, and what that means for what the agent may do.',
    200: { description: 'The comparison.', type: VersionComparison },
  })
  async compareAgentVersions(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathVersion('a', 'The number of a version.') a: number,
    @PathVersion('b', 'The number of a version.') b: number,
  ): Promise<VersionComparison> {
    return presentComparison({ agentId, a, b }, await this.versions.compare(workspaceId, agentId, a, b));
  }

  @Post(':n/promote')
  @RequireScopes('agents:promote')
  @Operation('Put a version into production', {
    description:
      'Runs that are accepted from now on use it; those that were accepted before keep theirs. Where the definition of the version has a gate, its latest ' +
      'evaluation must have passed; the refusal carries `gate: {result, reasons}`. Going back to a version that was in production before needs no ' +
      'evaluation. Promoting what is in production changes nothing. Of two promotions at once one is refused (412).',
    200: { description: 'The promotion.', type: PromotionResource },
    problems: [
      'agent_archived',
      'evaluation_required',
      'evaluation_in_progress',
      'gate_failed',
      'gate_inconclusive',
      'name_taken',
      'unknown_reference',
    ],
  })
  async promoteAgentVersion(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') id: string,
    @PathVersion('n') n: number,
    @IfMatch('The ETag of the agent as you know it.') expected: ExpectedVersions,
  ): Promise<PromotionResource> {
    const precondition = await this.changes.precondition(actor, expected);
    return presentPromotion(await this.promotions.promote(actor, id, n, precondition));
  }
}
