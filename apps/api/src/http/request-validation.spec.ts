import { ListRunsQuery } from '../runs/run-filters.api.js';
import { StartRunBody } from '../runs/runs.api.js';
import { ListAgentsQuery } from '../agents/agents.api.js';
import { CreateWebhookEndpointBody } from '../webhook-endpoints/webhook-endpoints.api.js';
import { ListAuditEventsQuery } from '../audit-events/audit-events.api.js';
import { PageQuery } from './list-pages.service.js';
import { type RequestShape, validateRequest } from './request-validation.js';

function refusal(places: object[]) {
  return expect.objectContaining({
    code: 'invalid_request',
    errors: places.map((place) => expect.objectContaining(place)),
  });
}

describe('a query', () => {
  it('has defaults', () => {
    expect(validateRequest(PageQuery, {}, 'query')).toMatchObject({ limit: 25, order: 'desc' });
  });

  it('is converted from texts', () => {
    const given = { limit: '100', order: 'asc', status: 'queued,running', since: '2026-01-31T08:00:00Z' };
    expect(validateRequest(ListRunsQuery, given, 'query')).toMatchObject({
      limit: 100,
      order: 'asc',
      status: ['queued', 'running'],
      since: new Date('2026-01-31T08:00:00Z'),
    });
  });

  it('takes a list repeated, separated by commas, and both', () => {
    const { status } = validateRequest(ListRunsQuery, { status: ['queued', 'running,failed'] }, 'query');
    expect(status).toEqual(['queued', 'running', 'failed']);
  });

  it.each(['0', '101', 'abc', '1.5', '-1', '', '1e1', '0x10', ' 5', '99999999999999999999'])(
    'is refused with limit=%s',
    (limit) => {
      expect(() => validateRequest(PageQuery, { limit }, 'query')).toThrow(
        refusal([{ pointer: '/query/limit', parameter: 'limit' }]),
      );
    },
  );

  it('is refused where a single value is given twice', () => {
    expect(() => validateRequest(PageQuery, { limit: ['1', '2'], order: ['asc', 'asc'] }, 'query')).toThrow(
      refusal([
        { pointer: '/query/limit', parameter: 'limit', detail: 'limit may be given only once.' },
        { pointer: '/query/order', parameter: 'order', detail: 'order may be given only once.' },
      ]),
    );
  });

  it.each([
    [{ status: 'queued,done' }, 'status'],
    [{ status: '' }, 'status'],
    [{ mode: 'live' }, 'mode'],
    [{ trigger_type: 'mail' }, 'trigger_type'],
    [{ order: 'ASC' }, 'order'],
    [{ agent: 'agt_1' }, 'agent'],
    [{ since: '2026-01-31' }, 'since'],
    [{ until: ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00Z'] }, 'until'],
  ])('is refused with %j', (given, parameter) => {
    expect(() => validateRequest(ListRunsQuery, given, 'query')).toThrow(
      refusal([{ pointer: `/query/${parameter}`, parameter }]),
    );
  });

  it('is refused with an unknown parameter, which is named with what was probably meant', () => {
    expect(() => validateRequest(ListRunsQuery, { triger_type: 'api', zzz: '1' }, 'query')).toThrow(
      refusal([
        { pointer: '/query/triger_type', suggestion: 'Did you mean `trigger_type`?' },
        { pointer: '/query/zzz', suggestion: expect.stringMatching(/^Parameters of this operation: .*`agent`/) },
      ]),
    );
  });

  it.each([
    ['page', '2', '`cursor`'],
    ['offset', '50', '`cursor`'],
    ['starting_after', 'run_1', '`cursor`'],
    ['per_page', '50', '`limit`'],
    ['pageSize', '50', '`limit`'],
    ['sort', '-created_at', '`order=asc`'],
  ])('is refused with %s=%s of other APIs, and says what to send instead', (name, value, remedy) => {
    expect(() => validateRequest(PageQuery, { [name]: value }, 'query')).toThrow(
      refusal([{ pointer: `/query/${name}`, parameter: name, suggestion: expect.stringContaining(remedy) }]),
    );
  });

  it('is refused with an action that the audit log does not have', () => {
    const detail = expect.stringMatching(/^action must be run\.reveal, or another one of .*workspace\.stop_refused/);
    expect(() => validateRequest(ListAuditEventsQuery, { action: 'run.reveel' }, 'query')).toThrow(
      refusal([{ pointer: '/query/action', detail }]),
    );
    const action = 'agent.webhook_secret.rotate';
    expect(validateRequest(ListAuditEventsQuery, { action }, 'query')).toMatchObject({ action });
  });
});

describe('a query that is looked up in Postgres', () => {
  it.each([
    [ListAgentsQuery, { name: '\0' }, 'name'],
    [ListAuditEventsQuery, { actor: 'ann\0@example.com' }, 'actor'],
    [ListRunsQuery, { status: ['queued', 'run\0'] }, 'status'],
  ] as [RequestShape, object, string][])('is refused with a NUL: %p %j', (shape, given, parameter) => {
    expect(() => validateRequest(shape, given, 'query')).toThrow(
      refusal([{ pointer: `/query/${parameter}`, parameter, detail: `${parameter} must not contain NUL characters.` }]),
    );
  });
});

describe('a body', () => {
  it('keeps free-form objects as they are, without a copy', () => {
    const input = { any: [{ thing: null }] };
    expect(validateRequest(StartRunBody, { input }, 'body').input).toBe(input);
  });

  it.each([
    [{ input: [] }, '/input'],
    [{ input: null }, '/input'],
    [{ mode: 'live' }, '/mode'],
    [{ mode: null }, '/mode'],
    [{ version: '1' }, '/version'],
    [{ version: 0 }, '/version'],
    [{ version: 1.5 }, '/version'],
    [{ version: 2 ** 31 }, '/version'],
  ])('is refused with %j', (given, pointer) => {
    expect(() => validateRequest(StartRunBody, given, 'body')).toThrow(refusal([{ pointer }]));
  });

  it('is refused with the item of a list that may not be in it', () => {
    const given = { url: 'https://example.com', events: ['run.completed', 'nope'] };
    expect(() => validateRequest(CreateWebhookEndpointBody, given, 'body')).toThrow(
      refusal([{ pointer: '/events/1', detail: expect.stringMatching(/^events must be one of .*, not "nope"\.$/) }]),
    );
    expect(() => validateRequest(CreateWebhookEndpointBody, { ...given, events: [] }, 'body')).toThrow(
      refusal([{ pointer: '/events' }]),
    );
  });

  it('is refused with an unknown field, whose name is escaped in the pointer', () => {
    expect(() => validateRequest(StartRunBody, { inputs: {}, 'a/b~c': 1 }, 'body')).toThrow(
      refusal([{ pointer: '/inputs', suggestion: 'Did you mean `input`?' }, { pointer: '/a~1b~0c' }]),
    );
  });

  it('does not take inherited names for fields', () => {
    expect(() => validateRequest(StartRunBody, { toString: 1, hasOwnProperty: 1 }, 'body')).toThrow(
      refusal([{ pointer: '/toString' }, { pointer: '/hasOwnProperty' }]),
    );
  });
});
