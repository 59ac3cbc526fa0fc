import { connect } from 'node:net';

export interface TestedQueue {
  title: string;
  redisUrl?: string;
  /** Reason why tests with this queue cannot run on this machine. Undefined if they can. */
  missing?: string;
}

const REDIS = { host: '127.0.0.1', port: 6379 } as const;
const PATIENCE_MS = 1_000;

/**
 * Returns an entry for each store of the queue. If Redis is not available, the entry of Redis contains the reason in
 * `missing`.
 */
export async function testedQueues(): Promise<TestedQueue[]> {
  const postgres = { title: 'with the queue in Postgres' };
  const redisUrl = `redis://${REDIS.host}:${REDIS.port}`;
  if (await redisAnswers()) return [postgres, { title: 'with the queue in Redis', redisUrl }];
  const missing = `NOT tested with the queue in Redis: no Redis answers at ${redisUrl}`;
  return [postgres, { title: missing, missing }];
}

function redisAnswers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...REDIS, timeout: PATIENCE_MS });
    const settle = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => settle(data.toString().startsWith('+PONG')));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}
