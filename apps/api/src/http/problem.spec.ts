import { DomainError, ERROR_CODES, type ErrorCode } from '@app/kernel';
import { problemHeaders, toProblem } from './problem.js';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

describe('a problem document', () => {
  it('says what, where and to whom', () => {
    const errors = [{ pointer: '/input/name', detail: 'It is missing.' }];
    const error = new DomainError('input_invalid', 'The input does not fit.', { errors, extensions: { hint: 1 } });
    expect(toProblem(error, 'req_1')).toEqual({
      type: 'urn:agent-automation-service:problem:input_invalid',
      title: 'The input is not valid',
      status: 422,
      detail: 'The input does not fit.',
      code: 'input_invalid',
      request_id: 'req_1',
      errors,
      hint: 1,
    });
  });

  it.each<[ErrorCode, number]>([
    ['invalid_request', 400],
    ['cursor_expired', 400],
    ['missing_api_key', 401],
    ['insufficient_scope', 403],
    ['not_found', 404],
    ['method_not_allowed', 405],
    ['not_acceptable', 406],
    ['agent_archived', 409],
    ['precondition_failed', 412],
    ['payload_too_large', 413],
    ['unsupported_media_type', 415],
    ['definition_invalid', 422],
    ['rate_limited', 429],
    ['internal_error', 500],
    ['unavailable', 503],
  ])('of %s has status %d', (code, status) => {
    expect(toProblem(new DomainError(code, 'x'), 'req_1').status).toBe(status);
  });

  it('keeps its own members whatever the extensions are called', () => {
    const error = new DomainError('run_not_cancellable', 'x', {
      extensions: { status: 'succeeded', code: 'y', run_status: 'z' },
    });
    expect(toProblem(error, 'req_1')).toMatchObject({ status: 409, code: 'run_not_cancellable', run_status: 'z' });
  });

  it('tells nothing about the inside of the service', () => {
    const error = new DomainError('internal_error', 'Broken invariant: select secret from t.', {
      cause: new Error('password'),
      extensions: { table: 'secrets' },
    });
    expect(JSON.stringify(toProblem(error, 'req_1'))).not.toMatch(/invariant|select|password|secrets/);
  });
});

describe('the headers of a problem', () => {
  it.each<[ErrorCode, RegExp]>([
    ['missing_api_key', /^Bearer realm="[^"]+"$/],
    ['invalid_api_key', /^Bearer realm="[^"]+", error="invalid_token"$/],
    ['expired_api_key', /^Bearer realm="[^"]+", error="invalid_token"$/],
    ['insufficient_scope', /^Bearer realm="[^"]+", error="insufficient_scope"$/],
    ['invalid_webhook_secret', /^WebhookSecret realm="[^"]+"$/],
  ])('challenge the client for %s', (code, challenge) => {
    expect(problemHeaders(new DomainError(code, 'x'))['WWW-Authenticate']).toMatch(challenge);
  });

  it('challenge for every 401', () => {
    for (const code of CODES.filter((each) => ERROR_CODES[each].kind === 'unauthenticated')) {
      expect(problemHeaders(new DomainError(code, 'x'))).toHaveProperty('WWW-Authenticate');
    }
  });

  it('say in whole seconds when to try again', () => {
    expect(problemHeaders(new DomainError('rate_limited', 'x', { retryAfterSeconds: 1.2 }))).toEqual({
      'Retry-After': '2',
    });
  });
});
