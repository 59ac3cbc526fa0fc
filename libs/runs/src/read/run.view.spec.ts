import type { JsonObject, JsonValue } from '@app/kernel';
import type { RunStepEntity } from '../records/run-step.entity.js';
import type { RunEntity } from '../records/run.entity.js';
import { presentRun } from './run.view.js';
import { presentTrace } from './trace.view.js';

const AT = new Date('2026-01-31T08:00:00.123Z');

function aRun(over: Partial<RunEntity> = {}): RunEntity {
  return {
    id: 'run_1',
    workspaceId: 'wsp_1',
    agentId: 'agt_1',
    agentName: 'invoice-router',
    waiting: null,
    version: 3,
    mode: 'production',
    trigger: { type: 'api' },
    input: { name: 'Ada' },
    labels: { team: 'support' },
    initiator: 'ada@example.com',
    replayOf: null,
    status: 'queued',
    output: null,
    error: null,
    cancelReason: null,
    isKept: false,
    hasFiles: false,
    warnings: [],
    costMicros: '0',
    inputTokens: '0',
    outputTokens: '0',
    cacheReadTokens: '0',
    cacheWriteTokens: '0',
    reasoningTokens: '0',
    costPartial: false,
    currency: 'EUR',
    attempt: 0,
    workerId: null,
    claimOp: null,
    lastOp: null,
    claimedAt: null,
    stepN: 1,
    recoveries: 0,
    wakeAt: AT,
    queueDeadline: null,
    concurrencyMax: null,
    concurrencyKey: null,
    concurrencyMaxPerKey: null,
    traceparent: null,
    traceForgottenAt: null,
    activeMs: '0',
    createdAt: AT,
    endedAt: null,
    ...over,
  };
}

function aStep(over: Partial<RunStepEntity> = {}): RunStepEntity {
  return {
    runId: 'run_1',
    n: 2,
    workspaceId: 'wsp_1',
    path: 'invoice',
    try: 1,
    type: 'tool_call',
    tool: 'erp.get_invoice',
    scope: 'read',
    effect: 'read',
    state: 'succeeded',
    attempt: 1,
    op: 'op',
    epoch: '1',
    request: { id: '7' },
    output: { total: 40 },
    error: null,
    detail: { response_summary: '200 {"total":40}' },
    startedAt: AT,
    dueAt: null,
    costMicros: null,
    endedAt: new Date(AT.getTime() + 42),
    ...over,
  };
}

describe('a run on the wire', () => {
  it('has started when it was accepted and has no duration before its end', () => {
    expect(presentRun({ run: aRun({ status: 'running', activeMs: '17' }), approvals: [] }, null)).toMatchObject({
      started_at: '2026-01-31T08:00:00.123Z',
      created_at: '2026-01-31T08:00:00.123Z',
      ended_at: null,
      duration_ms: null,
      output: null,
      approvals: [],
    });
  });

  it('has the active time as its duration once it has ended', () => {
    const run = aRun({ status: 'succeeded', activeMs: '17', endedAt: AT, output: { ok: true }, costMicros: '12500' });
    expect(presentRun({ run, approvals: [] }, null)).toMatchObject({
      duration_ms: 17,
      ended_at: '2026-01-31T08:00:00.123Z',
      output: { ok: true },
      cost: { amount: '0.0125', currency: 'EUR' },
    });
  });

  it.each<[JsonValue, JsonObject | null]>([
    [null, null],
    ['done', { value: 'done' }],
    [[1, 2], { value: [1, 2] }],
    [0, { value: 0 }],
    [{ $sealed: 'x', shown: '[redacted]' }, { value: '[redacted]' }],
    [{ iban: { $sealed: 'x', shown: '[redacted]' } }, { iban: '[redacted]' }],
  ])('has an output that is an object: %j is shown as %j', (output, shown) => {
    expect(presentRun({ run: aRun({ status: 'succeeded', output }), approvals: [] }, null).output).toEqual(shown);
  });

  it('shows nothing of how it is stored', () => {
    expect(Object.keys(presentRun({ run: aRun(), approvals: [] }, null)).sort()).toEqual(
      [
        'id agent agent_name version mode status waiting trigger input output approvals started_at ended_at duration_ms cost usage',
        'created_at error labels initiator replay_of cancel_reason warnings',
      ]
        .flatMap((names) => names.split(' '))
        .sort(),
    );
  });
});

describe('a run that waits', () => {
  const waitingOf = (waiting: RunEntity['waiting']) =>
    presentRun({ run: aRun({ waiting }), approvals: [] }, null).waiting;

  it('shows until when in milliseconds, and nothing for a worker', () => {
    expect(waitingOf({ for: 'retry', until: '2026-01-31T08:00:30.123456+00:00' })).toEqual({
      for: 'retry',
      until: '2026-01-31T08:00:30.123Z',
    });
    expect(waitingOf({ for: 'worker' })).toEqual({ for: 'worker' });
    expect(waitingOf(null)).toBeNull();
  });
});

describe('the page of a run in the console', () => {
  it('is part of the run if the operator has published an address', () => {
    const shown = presentRun({ run: aRun(), approvals: [] }, 'https://agents.example.com/console');
    expect(shown.console_url).toBe('https://agents.example.com/console/runs/run_1');
  });
});

describe('a trace on the wire', () => {
  it('begins with the trigger', () => {
    expect(presentTrace({ run: aRun(), steps: [] }, { afterN: 0 })).toEqual({
      run: 'run_1',
      steps: [
        {
          n: 1,
          type: 'trigger',
          id: 'run_1.1',
          at: '2026-01-31T08:00:00.123Z',
          duration_ms: 0,
          status: 'succeeded',
          data: { type: 'api' },
        },
      ],
    });
  });

  it('shows a tool call with the fields of the specification', () => {
    expect(presentTrace({ run: aRun(), steps: [aStep()] }, { afterN: 1 }).steps).toEqual([
      expect.objectContaining({
        n: 2,
        type: 'tool_call',
        status: 'succeeded',
        tool: 'erp.get_invoice',
        scope: 'read',
        duration_ms: 42,
        request: { id: '7' },
        response_summary: '200 {"total":40}',
      }),
    ]);
  });

  it('shows a call under way without a duration, and why one failed', () => {
    const error = { code: 'tool_error', message: 'Nope', step: 'invoice' } as const;
    const steps = [aStep({ state: 'started', endedAt: null, detail: null }), aStep({ n: 3, state: 'failed', error })];
    expect(presentTrace({ run: aRun(), steps }, { afterN: 1 }).steps).toMatchObject([
      { status: 'running', duration_ms: null, response_summary: '' },
      { status: 'failed', error },
    ]);
  });

  it('shows how long a call in doubt was under way, and not how long people thought about it', () => {
    const detail = { response_summary: 'aborted', duration_ms: 300 };
    const steps = [aStep({ state: 'in_doubt', endedAt: null, detail }), aStep({ n: 3, detail })];
    expect(presentTrace({ run: aRun(), steps }, { afterN: 1 }).steps).toMatchObject([
      { status: 'in_doubt', duration_ms: 300 },
      { status: 'succeeded', duration_ms: 300 },
    ]);
  });

  it('has in its summary the knowledge bases of a search', () => {
    const steps = [aStep({ tool: 'knowledge.retrieve', detail: { knowledge_bases: ['handbook'], passages: 3 } })];
    const [shown] = presentTrace({ run: aRun(), steps }, { afterN: 1, summary: true }).steps;
    expect(shown).toMatchObject({ type: 'retrieval', path: 'invoice', knowledge_bases: ['handbook'] });
    expect(shown).not.toHaveProperty('passages');
  });

  it('calls a rejected call denied, and leaves tools out of other steps', () => {
    const steps = [aStep({ state: 'rejected' }), aStep({ n: 3, type: 'output', detail: { output: { a: 1 } } })];
    const [rejected, output] = presentTrace({ run: aRun(), steps }, { afterN: 1 }).steps;
    expect(rejected).toMatchObject({ status: 'denied' });
    expect(output).toMatchObject({ type: 'output', output: { a: 1 } });
    expect(output).not.toHaveProperty('tool');
  });

  it('shows an approval with the fields of the specification, and its own status', () => {
    const detail = { policy: 'big-refund', approvers: ['finance-leads'], approval: 'apr_1' };
    const anApproval = (over: Partial<RunStepEntity>) =>
      aStep({ type: 'approval', state: 'succeeded', tool: null, request: null, output: null, detail, ...over });
    const steps = [
      anApproval({ state: 'awaiting_approval', endedAt: null }),
      anApproval({
        output: { decision: 'edit', status: 'approved', decided_by: ['eve@example.com'], comment: 'less' },
      }),
      anApproval({
        state: 'rejected',
        output: { decision: 'reject', status: 'rejected', decided_by: ['eve@example.com'] },
      }),
      anApproval({ state: 'failed', output: { decision: 'expire', status: 'expired', decided_by: [] } }),
      anApproval({ state: 'cancelled' }),
    ];
    const shown = presentTrace({ run: aRun(), steps }, { afterN: 1 }).steps;
    expect(shown.map(({ status }) => status)).toEqual(['open', 'approved', 'rejected', 'expired', 'cancelled']);
    expect(shown[0]).toMatchObject(detail);
    expect(shown[1]).toMatchObject({ decision: 'edit', decided_by: ['eve@example.com'], comment: 'less' });
  });

  it('spells the states of a call as the contract does', () => {
    const states = ['interrupted', 'ready', 'awaiting_approval', 'in_doubt', 'simulated', 'cancelled'] as const;
    const steps = states.map((state) => aStep({ state }));
    expect(presentTrace({ run: aRun(), steps }, { afterN: 1 }).steps.map(({ status }) => status)).toEqual([
      'cancelled',
      'pending',
      'awaiting_approval',
      'in_doubt',
      'simulated',
      'cancelled',
    ]);
  });

  it('says until when a run waits', () => {
    const steps = [aStep({ type: 'wait', state: 'waiting', endedAt: null, dueAt: AT, detail: null })];
    expect(presentTrace({ run: aRun(), steps }, { afterN: 1 }).steps).toMatchObject([
      { status: 'waiting', until: AT.toISOString() },
    ]);
  });
});
