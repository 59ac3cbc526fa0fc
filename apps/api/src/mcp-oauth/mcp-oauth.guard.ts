import { type CanActivate, Inject, Injectable } from '@nestjs/common';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { assertOauthOn } from './mcp-resources.js';

/** Hides the routes of the authorization server unless `MCP_OAUTH` is on. */
@Injectable()
export class McpOauthGuard implements CanActivate {
  constructor(@Inject(apiConfig.KEY) private readonly config: ApiConfig) {}

  /** @throws DomainError `not_found` */
  canActivate(): boolean {
    assertOauthOn(this.config);
    return true;
  }
}
