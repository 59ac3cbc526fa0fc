import { defineJob, isJobPayload } from './job.js';

describe('a job', () => {
  it('consists of a name and a queue', () => {
    expect(defineJob<{ runId: string }>({ name: 'run.execute', queue: 'runs' })).toEqual({
      name: 'run.execute',
      queue: 'runs',
    });
  });

  it.each(['execute', 'Run.execute', 'run:execute', 'run.'])('is not named %s', (name) => {
    expect(() => defineJob<{ runId: string }>({ name, queue: 'runs' })).toThrow();
  });

  it('has no queue whose name BullMQ refuses', () => {
    expect(() => defineJob<{ runId: string }>({ name: 'run.execute', queue: 'a:b' })).toThrow();
  });

  it('refuses, when compiled, a payload with more than ids', () => {
    // @ts-expect-error an object is not an id
    expect(defineJob<{ run: object }>({ name: 'run.execute', queue: 'runs' })).toBeDefined();
  });

  it.each([
    [{ runId: 'run_1', n: 2 }, true],
    [{}, true],
    [null, false],
    ['run_1', false],
    [['a'], false],
    [{ a: {} }, false],
  ])('accepts %j as a payload: %s', (data, accepted) => {
    expect(isJobPayload(data)).toBe(accepted);
  });
});
