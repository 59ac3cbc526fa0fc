import { Controller, Get } from '@nestjs/common';
import { type Principal, Workspaces } from '@app/workspace';
import { AnyKey } from '../http/access.decorators.js';
import { CurrentPrincipal } from '../http/request-decorators.js';
import type { Me, WorkspaceResource } from './workspace.dto.js';
import { WORKSPACE_OPERATIONS } from './workspace.operations.js';
import { presentMe, presentWorkspace } from './workspace.presenter.js';

@Controller('v1')
export class WorkspaceController {
  constructor(private readonly workspaces: Workspaces) {}

  @Get('me')
  @AnyKey()
  @WORKSPACE_OPERATIONS.me
  me(@CurrentPrincipal() principal: Principal): Me {
    return presentMe(principal);
  }

  @Get('workspace')
  @AnyKey()
  @WORKSPACE_OPERATIONS.get
  async get(@CurrentPrincipal() { workspaceId }: Principal): Promise<WorkspaceResource> {
    return presentWorkspace(await this.workspaces.get(workspaceId));
  }
}
