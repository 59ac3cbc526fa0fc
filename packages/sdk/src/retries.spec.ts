import { FakeTiming } from './testing/fake-timing.js';
import { ApiError, ConnectionError } from './errors.js';
import { type Repetition, withRetries } from './retries.js';

const SAFE: Repetition = { isSafe: true, isRepeatable: true };
const REPEATABLE: Repetition = { isSafe: false, isRepeatable: true };
const ONCE: Repetition = { isSafe: false, isRepeatable: false };

const refusal = (status: number, retryAfter?: number, code = 'unavailable'): ApiError =>
  new ApiError({ type: '', title: '', status, code, detail: 'No.', request_id: 'req_1' }, retryAfter);

/** Retries an attempt that fails with the given errors in order, and then succeeds. */
async function tried(
  errors: readonly Error[],
  repetition: Repetition,
  timing = new FakeTiming(),
): Promise<{ tries: number; pauses: number[]; outcome: unknown }> {
  let tries = 0;
  const outcome = await withRetries(
    () => {
      const error = errors[tries];
      tries += 1;
      return error ? Promise.reject(error) : Promise.resolve('done');
    },
    repetition,
    { timing, signal: new AbortController().signal },
  ).catch((error: unknown) => error);
  return { tries, pauses: timing.pauses, outcome };
}

describe('repetitions', () => {
  it.each([408, 429, 502, 503, 504])('follow a %d of a request that may be repeated', async (status) => {
    expect(await tried([refusal(status)], REPEATABLE)).toMatchObject({ tries: 2, outcome: 'done' });
  });

  it('follow a lost connection and an earlier try that is still carried out', async () => {
    const errors = [new ConnectionError('cut'), refusal(409, 1, 'idempotency_in_progress')];
    expect(await tried(errors, REPEATABLE)).toMatchObject({ tries: 3, outcome: 'done', pauses: [500, 1_000] });
  });

  it('follow an internal error of a safe request only', async () => {
    expect(await tried([refusal(500)], SAFE)).toMatchObject({ tries: 2, outcome: 'done' });
    expect(await tried([refusal(500)], REPEATABLE)).toMatchObject({ tries: 1 });
  });

  it.each([400, 401, 403, 404, 409, 412, 422, 501])('do not follow a %d', async (status) => {
    expect(await tried([refusal(status)], SAFE)).toMatchObject({ tries: 1, outcome: { status } });
  });

  it('do not follow any failure of a request that must not be sent twice', async () => {
    expect(await tried([refusal(429, 0)], ONCE)).toMatchObject({ tries: 1 });
    expect(await tried([new ConnectionError('cut')], ONCE)).toMatchObject({ tries: 1 });
  });

  it('end after three tries with the last failure', async () => {
    const errors = [refusal(503), refusal(502), refusal(504), refusal(408)];
    expect(await tried(errors, SAFE)).toMatchObject({ tries: 3, outcome: errors[2] });
  });

  it('come after a random part of a pause that doubles', async () => {
    const errors = [refusal(503), refusal(503)];
    expect((await tried(errors, SAFE, new FakeTiming(0.25))).pauses).toEqual([125, 250]);
    expect((await tried(errors, SAFE, new FakeTiming(0))).pauses).toEqual([0, 0]);
  });

  it('come when the service asks for them, unless that is in more than a minute', async () => {
    expect((await tried([refusal(429, 7)], SAFE)).pauses).toEqual([7_000]);
    expect(await tried([refusal(429, 61)], SAFE)).toMatchObject({ tries: 1, outcome: { retryAfter: 61 } });
  });

  it('end when the caller cancels, with the reason', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const attempt = (): Promise<never> => {
      controller.abort(reason);
      return Promise.reject(refusal(503));
    };
    const options = { timing: new FakeTiming(), signal: controller.signal };
    await expect(withRetries(attempt, SAFE, options)).rejects.toBe(reason);
  });
});
