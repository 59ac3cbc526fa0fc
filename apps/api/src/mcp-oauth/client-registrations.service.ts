import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { DomainError } from '@app/kernel';
import { McpClientsService } from '@app/workspace';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { presentRegistered, type RegisterMcpClientBody } from './oauth-clients.api.js';

/** Registers clients that ask for it themselves, if the operator permits it. */
@Injectable()
export class ClientRegistrationsService {
  constructor(
    private readonly clients: McpClientsService,
    private readonly limits: RequestLimitsService,
    @Inject(apiConfig.KEY) private readonly config: ApiConfig,
  ) {}

  /** @throws DomainError `not_found` if clients may not register themselves, `rate_limited`, `invalid_request` */
  async register(
    { client_name: given, redirect_uris: uris }: RegisterMcpClientBody,
    request: ApiRequest,
    response: Response,
  ): Promise<object> {
    if (this.config.mcpRegistration === 'off') {
      throw new DomainError('not_found', 'Clients cannot register themselves. Ask an admin to register the client.');
    }
    await this.limits.admitRegistration(request, response);
    const { id, name } = await this.clients.register(given, uris);
    return presentRegistered(id, name, uris);
  }
}
