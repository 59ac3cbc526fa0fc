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
import { databaseFailure } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import type { Principal } from '@app/workspace';
import { PROBLEM_TYPE, problemHeaders, toProblem } from './problem.js';
import type { ApiRequest } from './request-context.js';
import { routeHint } from './route-hints.js';
import { RouteTableService } from './route-table.service.js';

/** Adds suggestions to errors. The main thread and the stop listener thread use different implementations. */
export abstract class RefusalExplanations {
  /** Returns the error, with suggestions if there are any. Never rejects. */
  abstract explained(refusal: DomainError, principal: Principal): Promise<DomainError>;
}

/** Adds no suggestions. Used by the stop listener, whose requests contain no names of resources. */
export class NoExplanations extends RefusalExplanations {
  explained(refusal: DomainError): Promise<DomainError> {
    return Promise.resolve(refusal);
  }
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
    this.log(raised, failure, request);
    const { principal } = request;
    if (failure.givenNames.length === 0 || !principal) this.send(failure, request, response);
    else void this.explanations.explained(failure, principal).then((better) => this.send(better, request, response));
  }

  private send(failure: DomainError, request: ApiRequest, response: Response): void {
    if (response.headersSent) {
      // The status has already been sent. The connection is closed, so that the client notices the incomplete response.
      response.destroy();
      return;
    }
    const problem = toProblem(failure, request.id);
    const body = Buffer.from(JSON.stringify(problem));
    response.status(problem.status).set(problemHeaders(failure, request.resourceMetadata));
    // `send` would add a charset, which the media type does not allow. For HEAD, Node omits the body.
    response.setHeader('Content-Type', PROBLEM_TYPE).setHeader('Content-Length', body.length).end(body);
  }

  /** Logs failures of the service and of its dependencies, but no rejected requests. */
  private log(raised: unknown, failure: DomainError, { id: requestId }: ApiRequest): void {
    if (failure.kind === 'internal') this.logger.error({ requestId, err: raised }, 'request failed');
    else if (failure.kind === 'unavailable' && failure.cause !== undefined) {
      this.logger.warn({ requestId, err: failure.cause }, 'request failed: dependency unavailable');
    }
  }

  private failureOf(raised: unknown, request: ApiRequest, response: Response): DomainError {
    const error = databaseFailure(raised);
    if (error instanceof DomainError) return error;
    if (error instanceof NotFoundException) return this.unknownRoute(request, response);
    if (error instanceof HttpException && error.getStatus() < 500) {
      return new DomainError(CODE_OF_STATUS[error.getStatus()] ?? 'invalid_request', error.message, { cause: error });
    }
    return new DomainError('internal_error', 'Unexpected error.', { cause: error });
  }

  private unknownRoute({ method, path }: ApiRequest, response: Response): DomainError {
    const allowed = this.routes.allowedMethods(path);
    const hint = routeHint(this.routes.all(), method, path);
    if (allowed === undefined) return new DomainError('not_found', `No route matches ${path.slice(0, 200)}. ${hint}`);
    response.setHeader('Allow', allowed);
    const detail = `${path.slice(0, 200)} does not support ${method}. Allowed: ${allowed}. ${hint}`;
    return new DomainError('method_not_allowed', detail);
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
