import { ApiError, ConnectionError, TimeoutError } from '../../../../packages/sdk/src/index.js';
import { exitCodeOf, usageError } from './command-error.js';
import { EXIT_CODE_MEANINGS } from './exit-codes.js';
import { errorLines } from '../output/error-lines.js';

const refusal = (status: number, code: string, members = {}) =>
  new ApiError({
    type: 'about:blank',
    title: 'Title',
    detail: 'Detail',
    status,
    code,
    request_id: 'req_1',
    ...members,
  });

describe('exit codes', () => {
  it.each([
    [400, 'invalid_request', 2],
    [401, 'invalid_api_key', 4],
    [403, 'insufficient_scope', 4],
    [404, 'not_found', 3],
    [409, 'workspace_stopped', 5],
    [409, 'approval_already_decided', 5],
    [409, 'gate_failed', 1],
    [409, 'gate_inconclusive', 6],
    [409, 'evaluation_required', 6],
    [409, 'evaluation_in_progress', 6],
    [412, 'precondition_failed', 5],
    [422, 'definition_invalid', 1],
    [422, 'input_invalid', 2],
    [429, 'rate_limited', 8],
    [500, 'internal_error', 8],
    [503, 'unavailable', 8],
    [404, 'unexpected_response', 8],
  ])('of %i %s is %i', (status, code, exitCode) => {
    expect(exitCodeOf(refusal(status, code))).toBe(exitCode);
  });

  it('of an unreachable service is 8, of wrong arguments 2', () => {
    expect(exitCodeOf(new ConnectionError('refused'))).toBe(8);
    expect(exitCodeOf(new TimeoutError('late'))).toBe(8);
    expect(exitCodeOf(usageError('wrong'))).toBe(2);
    expect(exitCodeOf(new TypeError('The id must be an id.'))).toBe(2);
  });

  it('are documented one by one', () => {
    expect(EXIT_CODE_MEANINGS.map(([code]) => code)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 130]);
  });
});

describe('errors', () => {
  it('say what, where, what to do and the request, a line each', () => {
    const lines = errorLines(refusal(404, 'not_found'), 'https://agents.example.com');
    expect(lines).toEqual([
      'Error: Title. Detail',
      'Where: https://agents.example.com (404 not_found)',
      expect.stringMatching(/^What to do: ./),
      'Request: req_1',
    ]);
  });

  it('list the places of a refused request, and the reasons of a gate', () => {
    const errors = [{ pointer: '/name', detail: 'is too long', line: 3, suggestion: 'Shorten it.' }];
    const lines = errorLines(refusal(422, 'definition_invalid', { errors, gate: { reasons: ['too few'] } }), 'x');
    expect(lines).toContain('  /name (line 3): is too long Shorten it.');
    expect(lines).toContain('  gate: too few');
  });

  it.each([
    [404, 'not_found', '`aas whoami`'],
    [404, 'unexpected_response', 'AAS_URL'],
    [200, 'unexpected_response', 'AAS_URL'],
    [502, 'unexpected_response', 'again later'],
    [403, 'insufficient_scope', 'a role'],
    [403, 'test_key_production_mode', 'live key'],
    [410, 'file_deleted', '`aas files list`'],
    [413, 'file_too_large', 'smaller'],
    [429, 'file_quota_exceeded', '`aas files delete <id>`'],
  ])('of %i %s say to do what helps', (status, code, remedy) => {
    const [, , line] = errorLines(refusal(status, code), 'https://agents.example.com');
    expect(line).toMatch(/^What to do: /);
    expect(line).toContain(remedy);
  });

  it('show control characters of a refusal as escapes', () => {
    const text = errorLines(refusal(400, 'invalid_request', { detail: 'a\u001b[31mb\nError: c\u202e' }), 'x').join(
      '\n',
    );
    expect(text).toContain('a\\u001b[31mb\\nError: c\\u202e');
    expect(text).not.toContain('\u001b');
  });
});

describe('the lines of an error', () => {
  it('name the title once, also if the detail begins with it', () => {
    const first = (detail: string): string | undefined =>
      errorLines(refusal(409, 'workspace_stopped', { title: 'The workspace is stopped', detail }), undefined)[0];
    expect(first('The workspace is stopped. An admin can resume it.')).toBe(
      'Error: The workspace is stopped. An admin can resume it.',
    );
    expect(first('An admin can resume it.')).toBe('Error: The workspace is stopped. An admin can resume it.');
  });
});
