import { Controller, Get, Post } from '@nestjs/common';
import { FilesService } from '@app/files';
import { KnowledgeBasesService } from '@app/knowledge';
import { WorkspaceResumptionService } from '@app/runs';
import { EmergencyStopService } from '@app/runs/emergency-stop';
import { type Principal, SessionsService, WorkspaceStore } from '@app/workspace';
import { AnyKey, RequireLive, RequireUrgently } from '../http/access.decorators.js';
import { CurrentPrincipal, OptionalJsonBody } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  Me,
  presentMe,
  presentWorkspace,
  resumeOrder,
  ResumeWorkspaceBody,
  WorkspaceResource,
} from './workspace.api.js';

@Tag('Workspace')
@Controller('v1')
export class WorkspaceController {
  constructor(
    private readonly workspaces: WorkspaceStore,
    private readonly sessions: SessionsService,
    private readonly resumption: WorkspaceResumptionService,
    private readonly emergencyStop: EmergencyStopService,
    private readonly bases: KnowledgeBasesService,
    private readonly files: FilesService,
  ) {}

  @Get('me')
  @AnyKey()
  @Operation('Get the identity of the caller', {
    description: 'Returns the member, role and scopes of the calling key or session, and its workspace.',
    200: {
      description: 'The identity of the caller.',
      type: Me,
      example: { session: null },
    },
  })
  async getMe(@CurrentPrincipal() principal: Principal): Promise<Me> {
    return presentMe(principal, await this.sessions.workspacesOf(principal));
  }

  @Get('workspace')
  @AnyKey()
  @Operation('Get the workspace', {
    description:
      'Returns the workspace of the caller and whether it is stopped. While it is stopped, `in_flight` lists the calls that are still in progress.',
    200: { description: 'The workspace.', type: WorkspaceResource },
  })
  async getWorkspace(@CurrentPrincipal() { workspaceId }: Principal): Promise<WorkspaceResource> {
    const workspace = await this.workspaces.get(workspaceId);
    return presentWorkspace(
      workspace,
      await this.figures(workspaceId),
      await this.emergencyStop.callsInFlight(workspace),
    );
  }

  @Post('workspace/resume')
  @RequireUrgently('workspace:stop', 'workspace.resume')
  @RequireLive()
  @Operation('Resume the workspace', {
    description:
      'Ends the emergency stop. Suspended runs continue after their last recorded step; paused agents stay paused. A workspace that is not stopped is returned unchanged.',
    200: { description: 'The active workspace.', type: WorkspaceResource },
  })
  async resumeWorkspace(
    @CurrentPrincipal() principal: Principal,
    @OptionalJsonBody() body: ResumeWorkspaceBody,
  ): Promise<WorkspaceResource> {
    await this.resumption.resumeWorkspace(principal.workspaceId, resumeOrder(principal, body));
    const { workspaceId } = principal;
    return presentWorkspace(await this.workspaces.get(workspaceId), await this.figures(workspaceId));
  }

  private async figures(workspaceId: string): Promise<Parameters<typeof presentWorkspace>[1]> {
    return { regions: this.bases.regions, files: await this.files.usage(workspaceId) };
  }
}
