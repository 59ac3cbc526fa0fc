import type { ServerResponse } from 'node:http';
import { DomainError } from '@app/kernel';
import type { Logger } from '@app/platform/observability';
import type { Principal, RefusableAction, RefusalLogService } from '@app/workspace';
import { type KeyAccess, requireAnyScope, requireScope } from './access.js';
import type { AuthenticationService } from './authentication.service.js';
import type { ServedRequest } from './request-context.js';
import type { RequestLimitsService } from './request-limits.service.js';

/**
 * Decides who may call an operation. The API and the thread of the stop listener use this class, so that both decide
 * alike. The thread has no Nest, so the class has no decorators.
 */
export class CallerAccessService {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly refusals: RefusalLogService,
    private readonly limits: RequestLimitsService,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns the caller. Counts wrong credentials against the address of the client.
   * @throws DomainError `rate_limited`, and the errors of {@link AuthenticationService}
   */
  async authenticate(request: ServedRequest, response: ServerResponse, access: KeyAccess): Promise<Principal> {
    try {
      if (access.resource !== undefined) return await this.authentication.identifyClient(request, access.resource);
      if (access.bearerOnly) return await this.authentication.identifyKey(request);
      return access.urgent
        ? await this.authentication.identifyCallerUrgently(request)
        : await this.authentication.identifyCaller(request);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') await this.limits.refuse(request, response);
      throw error;
    }
  }

  /**
   * Checks the scopes of the caller, and `assertMore`. Records the rejection of an audited operation in the audit log.
   * @throws DomainError the errors of {@link requireScope} and `assertMore`
   */
  async authorize(
    principal: Principal,
    { scopes, anyOf = [], audited }: KeyAccess,
    assertMore: () => void = () => undefined,
  ): Promise<void> {
    try {
      for (const scope of scopes) requireScope(principal, scope);
      requireAnyScope(principal, anyOf);
      assertMore();
    } catch (error) {
      if (audited !== undefined && error instanceof DomainError) await this.record(principal, audited, error);
      throw error;
    }
  }

  /** Records a rejected call in the audit log. Does not throw, so that the caller still gets the error of the call. */
  private async record(principal: Principal, action: RefusableAction, { code }: DomainError): Promise<void> {
    try {
      await this.refusals.record(principal, action, code);
    } catch (error) {
      this.logger.error(
        { err: error, action, actor: principal.email },
        'audit log: recording a rejected request failed',
      );
    }
  }
}
