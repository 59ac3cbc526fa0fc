import type { DomainError } from '@app/kernel';
import type { Principal } from '@app/workspace';

/** Adds to a refusal what its caller needs to mend the request. The api and its stop listener each bind an implementation. */
export abstract class RefusalExplanations {
  /** The refusal, explained where that is possible. Never rejects. */
  abstract explained(refusal: DomainError, principal: Principal): Promise<DomainError>;
}

/** For routes whose requests name no resource. */
export class NoExplanations extends RefusalExplanations {
  explained(refusal: DomainError): Promise<DomainError> {
    return Promise.resolve(refusal);
  }
}
