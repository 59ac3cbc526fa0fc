import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import type { Response } from 'express';
import { DomainError, type ErrorCode } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import type { Principal } from '@app/workspace';
import { failureOf, logFailure, sendProblem, unknownRoute } from './problem-response.js';
import type { ApiRequest } from './request-context.js';
import { routeHint } from './route-hints.js';
import { RouteTableService } from './route-table.service.js';

/** Adds suggestions to errors. */
export abstract class RefusalExplanations {
  /** Returns the error, with suggestions if there are any. Never rejects. */
  abstract explained(refusal: DomainError, principal: Principal): Promise<DomainError>;
}

/** Responds to each exception with a problem document (RFC 9457). */
@Injectable()
@Catch()
export class ProblemDetailsFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteTableService,
    private readonly explanations: RefusalExplanations,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(raised: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const response = http.getResponse<Response>();
    const failure = this.failureOf(raised, request, response);
    logFailure(this.logger, raised, failure, request.id);
    const { principal } = request;
    if (failure.givenNames.length === 0 || !principal) sendProblem(response, failure, request);
    else void this.explanations.explained(failure, principal).then((better) => sendProblem(response, better, request));
  }

  private failureOf(raised: unknown, request: ApiRequest, response: Response): DomainError {
    if (raised instanceof NotFoundException) return this.unknownRoute(request, response);
    if (raised instanceof HttpException && raised.getStatus() < 500) {
      return new DomainError(CODE_OF_STATUS[raised.getStatus()] ?? 'invalid_request', raised.message, {
        cause: raised,
      });
    }
    return failureOf(raised);
  }

  private unknownRoute({ method, path }: ApiRequest, response: Response): DomainError {
    return unknownRoute(
      response,
      { method, path },
      this.routes.allowedMethods(path),
      routeHint(this.routes.all(), method, path),
    );
  }
}

/**
 * Error codes by HTTP status, for the exceptions of Express and Nest. The service itself throws {@link DomainError}.
 */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  405: 'method_not_allowed',
  406: 'not_acceptable',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
};
