import { createLogger, extendContext, type Logger, NestLogger, runInContext } from './index.js';

const CANARY = 'canary-3f9a1c';

function recording(format: 'json' | 'pretty' = 'json'): {
  logger: Logger;
  lines: string[];
  records: () => Record<string, unknown>[];
} {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'debug',
    format,
    name: 'spec',
    destination: { write: (line) => void lines.push(line) },
  });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('the logger', () => {
  it('writes one JSON object per line with level, time, name and message', () => {
    const { logger, records, lines } = recording();
    logger.info({ ms: 3 }, 'request completed\r\nforged line');
    expect(records()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        pid: process.pid,
        name: 'spec',
        ms: 3,
        msg: 'request completed\r\nforged line',
      },
    ]);
    expect(lines[0]?.trimEnd()).not.toContain('\n');
  });

  it('logs nothing below its level', () => {
    const { logger, lines } = recording();
    logger.trace('x');
    expect(lines).toEqual([]);
  });

  it('adds the request, workspace and run to each line, across await', async () => {
    const { logger, records } = recording();
    await runInContext({ requestId: 'req_1' }, async () => {
      extendContext({ workspaceId: 'wsp_1' });
      await Promise.resolve();
      runInContext({ runId: 'run_1' }, () => logger.info('inside'));
      logger.info('after');
    });
    logger.info('outside');
    const [inside, after, outside] = records();
    expect(inside).toMatchObject({ requestId: 'req_1', workspaceId: 'wsp_1', runId: 'run_1' });
    expect(after).toMatchObject({ requestId: 'req_1', workspaceId: 'wsp_1' });
    expect(after).not.toHaveProperty('runId');
    expect(outside).not.toHaveProperty('requestId');
  });

  it.each<[string, object]>([
    ['a header', { req: { headers: { authorization: CANARY, cookie: CANARY, 'x-service-webhook-secret': CANARY } } }],
    ['a list of headers', { res: { headers: { 'set-cookie': [`a="${CANARY}"]`, CANARY] } } }],
    ['a member at the top', { password: CANARY }],
    ['a deep member', { a: { b: { c: { d: [{ client_secret: { inner: [CANARY, '}'] } }] } } } }],
    ['camel case', { config: { apiKey: CANARY, accessToken: CANARY } }],
    ['a key as bytes', { env: { encryptionKey: Buffer.from(CANARY) } }],
    ['parameters of a failed query', Object.assign(new Error('failed'), { parameters: [CANARY], detail: CANARY })],
  ])('never shows secrets in %s', (_where, fields) => {
    const { logger, lines, records } = recording();
    logger.info(fields instanceof Error ? { err: fields } : fields, 'x');
    logger.child(fields instanceof Error ? { err: fields } : fields).info({ after: 'kept' });
    const text = lines.join('');
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(JSON.stringify([...Buffer.from(CANARY)]).slice(1, -1));
    expect(records()[1]).toMatchObject({ after: 'kept' });
  });

  it('scrubs secrets of a known form from messages, errors and plain members', () => {
    const { logger, lines } = recording();
    const secret = 'aas_live_0123456789abcdefghijABCDEFGHIJ';
    logger.info(`called with ${secret}`);
    logger.error({ err: new Error('outer', { cause: new Error(`inner ${secret}`) }), note: `Bearer ${CANARY}` });
    expect(lines.join('')).not.toMatch(/0123456789abc|canary/);
    expect(lines.join('')).toContain('aas_live_[redacted]');
  });

  it('shows errors with type, code, stack and cause', () => {
    const { logger, records } = recording();
    logger.error({ err: new TypeError('outer', { cause: Object.assign(new Error('inner'), { code: 'E1' }) }) });
    expect(records()[0]).toMatchObject({
      err: {
        type: 'TypeError',
        message: 'outer',
        stack: expect.stringContaining('logger.spec'),
        cause: { message: 'inner', code: 'E1' },
      },
    });
  });

  it('writes formatted lines if configured, also without secrets', () => {
    const { logger, lines } = recording('pretty');
    logger.warn({ password: CANARY, count: 2 }, 'look here');
    expect(lines.join('')).toMatch(/WARN.*look here[\s\S]*count.*2/);
    expect(lines.join('')).not.toContain(CANARY);
  });
});

describe("Nest's messages", () => {
  it('keep their context, their stack and their level', () => {
    const { logger, records } = recording();
    const nest = new NestLogger(logger);
    nest.log('started', 'NestFactory');
    nest.error('broken', 'Error: broken\n  at x', 'Router');
    nest.warn(new Error('careful'), 'Router');
    nest.debug({ a: 1 });
    expect(records()).toMatchObject([
      { level: 'info', msg: 'started', context: 'NestFactory' },
      { level: 'error', msg: 'broken', stack: 'Error: broken\n  at x', context: 'Router' },
      { level: 'warn', msg: 'careful', context: 'Router', err: { type: 'Error' } },
      { level: 'debug', a: 1 },
    ]);
  });
});

/** Creates a logger whose lines the test can read, with a timer that the test advances. */
function counting() {
  const lines: string[] = [];
  const ends: (() => void)[] = [];
  const logger = createLogger({
    level: 'debug',
    format: 'json',
    name: 'spec',
    destination: { write: (line) => void lines.push(line) },
    later: (_, end) => void ends.push(end),
  });
  const records = () => lines.map((line) => JSON.parse(line) as { msg: string; repeated?: number });
  const endMinute = () => ends.splice(0).forEach((end) => end());
  return { logger, records, endMinute };
}

/**
 * Returns an error as it occurs when the disk of Postgres is full. The message of its cause names a file, and the file
 * is different each time.
 */
function diskFull(file: number): Error {
  const driver = Object.assign(new Error(`could not extend file "base/5/${file}"`), { code: '53100' });
  return new Error('The disk is full.', { cause: driver });
}

describe('a warning about a failure that repeats', () => {
  it('is logged at once, and then once a minute with its count', () => {
    const { logger, records, endMinute } = counting();
    for (let file = 0; file < 312; file++) logger.warn({ err: diskFull(file), requestId: `req_${file}` }, 'refused');
    expect(records()).toHaveLength(1);
    endMinute();
    expect(records().map(({ repeated }) => repeated)).toEqual([undefined, 311]);
    logger.warn({ err: diskFull(1) }, 'refused');
    endMinute();
    expect(records().map(({ repeated }) => repeated)).toEqual([undefined, 311, 1]);
  });

  it('is logged at once again after a minute without it', () => {
    const { logger, records, endMinute } = counting();
    logger.warn({ err: diskFull(1) }, 'refused');
    endMinute();
    logger.warn({ err: diskFull(1) }, 'refused');
    expect(records().map(({ repeated }) => repeated)).toEqual([undefined, undefined]);
  });

  it('is counted per cause: message, error and other fields', () => {
    const { logger, records } = counting();
    logger.warn({ err: diskFull(1) }, 'refused');
    logger.warn({ err: diskFull(1) }, 'the heartbeat failed');
    logger.warn({ err: new Error('timeout') }, 'refused');
    logger.warn({ err: diskFull(1), agentId: 'agt_1' }, 'refused');
    logger.warn({ err: diskFull(1), agentId: 'agt_2' }, 'refused');
    expect(records()).toHaveLength(5);
  });

  it('is counted for no other level, and for no line without an error', () => {
    const { logger, records } = counting();
    for (let n = 0; n < 2; n++) {
      logger.error({ err: diskFull(n), requestId: `req_${n}` }, 'request failed');
      logger.warn({ workspaceId: 'wsp_1' }, 'the workspace is stopped');
    }
    expect(records()).toHaveLength(4);
  });
});
