import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AgentVersionsService, PromotionsService } from '@app/agents';
import type { ExpectedVersions } from '@app/kernel';
import type { Principal } from '@app/workspace';
import { AgentChangesService } from '../agents/agent-changes.service.js';
import { ProjectQuery } from '../agents/agents.api.js';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import {
  DefinitionBody,
  StoredDefinition,
  type SubmittedDefinition,
  YAML_DEFINITION,
} from '../http/definition-body.pipe.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import { CurrentPrincipal, IfMatch, PathId, PathVersion, QueryParameters } from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { ETAG_HEADER, Operation, Tag } from '../openapi/operation.js';
import {
  AgentVersionResource,
  CreatedAgentVersionResource,
  DefinitionDifferences,
  PromotionResource,
  VersionComparison,
} from './agent-versions.api.js';
import {
  presentComparison,
  presentCreatedVersion,
  presentDifferences,
  presentPromotion,
  presentVersion,
  presentVersionAs,
} from './agent-versions.view.js';

@Tag('Agents')
@Controller('v1/agents/:id/versions')
export class AgentVersionsController {
  constructor(
    private readonly versions: AgentVersionsService,
    private readonly promotions: PromotionsService,
    private readonly changes: AgentChangesService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @Operation('List the versions of an agent', {
    description: 'Lists all versions with their definitions.',
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
  @Operation('Create a version of an agent', {
    description:
      'Stores the definition under the next version number. The production version does not change: promote the new version to use ' +
      'it. If the definition equals that of the latest version byte for byte, that version is returned with 200.',
    201: { description: 'The new version.', type: CreatedAgentVersionResource, location: 'Address of the version.' },
    200: {
      description: 'The latest version, which has the same definition.',
      type: CreatedAgentVersionResource,
      location: 'Address of the version.',
    },
    problems: [...IDEMPOTENCY_PROBLEMS, 'agent_archived', 'name_taken'],
  })
  async createAgentVersion(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'agent') agentId: string,
    @StoredDefinition() { definition, claim }: SubmittedDefinition,
    @QueryParameters() { project }: ProjectQuery,
    @IfMatch(
      'Expected number of the latest version, in quotes. If the latest version has another number, the call is rejected with 412.',
    )
    expectedLatest: ExpectedVersions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedAgentVersionResource> {
    const creation = { claim: claim(), project, expectedLatest };
    const made = answered(response, await this.versions.create(principal, agentId, definition, creation));
    const location = `/v1/agents/${agentId}/versions/${made.version.version}`;
    return created(response, location, presentCreatedVersion(made), made.created);
  }

  @Get(':n')
  @RequireScopes('agents:read')
  @Operation('Get a version of an agent', {
    description:
      'Returns the version as JSON. With `Accept: application/yaml`, returns the definition exactly as it was submitted.',
    200: {
      description: 'The version as JSON, or the submitted definition as YAML.',
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
  @Operation('Compare two versions', {
    description:
      'Returns the changed values as a JSON Patch, and the changes in what the agent may do, for example new ' +
      'tools or removed approvals.',
    200: { description: 'The comparison.', type: VersionComparison },
  })
  async compareAgentVersions(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathVersion('a', 'Number of the version from which the patch starts.') a: number,
    @PathVersion('b', 'Number of the version to which the patch leads.') b: number,
  ): Promise<VersionComparison> {
    return presentComparison({ agentId, a, b }, await this.versions.compare(workspaceId, agentId, a, b));
  }

  @Post(':n/diff')
  @RequireScopes('agents:read')
  @Operation('Compare a version with a definition', {
    description:
      'Compares the version with the definition in the body. The definition is not stored. It must be valid, ' +
      'but tool servers and names of other resources are not checked.',
    200: { description: 'The comparison.', type: DefinitionDifferences },
    problems: ['invalid_yaml', 'invalid_json', 'definition_invalid'],
  })
  async compareDefinition(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'agent') agentId: string,
    @PathVersion('n', 'Number of the version from which the patch starts.') n: number,
    @DefinitionBody() { definition }: SubmittedDefinition,
  ): Promise<DefinitionDifferences> {
    return presentDifferences(agentId, n, await this.versions.compareWith(workspaceId, agentId, n, definition));
  }

  @Post(':n/promote')
  @RequireScopes('agents:promote')
  @RequireLive()
  @Operation('Promote a version', {
    description:
      'Makes the version the production version. Runs that were accepted before keep their version. If the ' +
      'definition has an evaluation gate, the latest evaluation of the version must have passed it; otherwise ' +
      'the call is rejected with 409, and the error contains `gate: {result, reasons}`. The agent takes its name, description and labels from the version. A version that was in ' +
      'production before needs no evaluation. Promoting the production version changes nothing. If two ' +
      'promotions are made at the same time, one of them is rejected with 412.',
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
    @IfMatch(
      '`ETag` of the agent that the decision is based on. If the agent has changed since then, the call is rejected with 412.',
    )
    expected: ExpectedVersions,
  ): Promise<PromotionResource> {
    const precondition = await this.changes.precondition(actor, expected);
    return presentPromotion(await this.promotions.promote(actor, id, n, precondition));
  }
}
