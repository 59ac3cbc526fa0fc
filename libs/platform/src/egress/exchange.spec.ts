import type { Dispatcher } from 'undici';
import { CollectedAnswer } from './collected-answer.js';
import { Exchange, type OutgoingRequest } from './exchange.js';

const REQUEST: OutgoingRequest = {
  url: new URL('http://example.com/'),
  method: 'GET',
  headers: {},
  body: undefined,
  headersTimeoutMs: 1,
  maxResponseBytes: 1,
  onBeforeSend: undefined,
};

const CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  pause: () => undefined,
  resume: () => undefined,
  abort: () => undefined,
};

describe('an exchange', () => {
  it('refuses a second dispatch, even for an idempotent method', async () => {
    const answer = new CollectedAnswer(1);
    const exchange = new Exchange(REQUEST, answer);
    exchange.onRequestStart(CONTROLLER);
    expect(() => exchange.onRequestStart(CONTROLLER)).toThrow(expect.objectContaining({ sent: true }));
    await expect(answer.response).rejects.toMatchObject({ reason: 'reset', sent: true });
  });

  it('refuses to start after it was cancelled', async () => {
    const answer = new CollectedAnswer(1);
    const exchange = new Exchange(REQUEST, answer);
    exchange.cancel('timeout', 'Too late.');
    expect(() => exchange.onRequestStart(CONTROLLER)).toThrow(expect.objectContaining({ sent: false }));
    await expect(answer.response).rejects.toMatchObject({ reason: 'timeout', sent: false });
  });
});
