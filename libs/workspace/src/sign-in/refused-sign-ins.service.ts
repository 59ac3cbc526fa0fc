import { Clock, DomainError, type ErrorCode, newId } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { AuditEventRepository } from '../audit-event.repository.js';
import type { SignInMethod } from '../principal.js';

/** It is the same for every reason of rejection, so that the duration does not reveal the reason. */
const REFUSAL_MILLIS = 150;

export interface RefusedMember {
  workspaceId: string;
  email: string;
}

export type AttemptedMethod = SignInMethod | 'cli';

/** Wrong, used and expired tokens, codes and keys get the same response after the same time. */
@Injectable()
export class RefusedSignInsService {
  constructor(
    private readonly events: AuditEventRepository,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * If the result contains `refused` instead, rejects after at least {@link REFUSAL_MILLIS}.
   * @throws DomainError `invalid_sign_in` if the result contains no proof
   */
  async prove<Proof>(
    method: AttemptedMethod,
    work: () => Promise<{ proof: Proof } | { refused: RefusedMember | null }>,
  ): Promise<Proof> {
    const startedAt = this.clock.monotonicMillis();
    const found = await work();
    if ('proof' in found) return found.proof;
    if (found.refused) await this.record(found.refused, method, 'invalid_sign_in');
    const remaining = startedAt + REFUSAL_MILLIS - this.clock.monotonicMillis();
    if (remaining > 0) await this.clock.sleep(remaining);
    throw new DomainError('invalid_sign_in', 'The link, code or key is wrong, was used before, or has expired.');
  }

  /** Never rejects, so that the caller gets the response even if the attempt cannot be recorded. */
  async record({ workspaceId, email }: RefusedMember, method: AttemptedMethod, code: ErrorCode): Promise<void> {
    const event = {
      workspaceId,
      actor: email,
      action: 'session.refused',
      target: workspaceId,
      detail: { method, code },
    };
    try {
      await this.events.insert({ id: newId('event'), ...event });
    } catch (error) {
      this.logger.error({ err: error, workspaceId }, 'audit log: recording a rejected sign-in failed');
    }
  }
}
