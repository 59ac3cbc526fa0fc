import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';

/**
 * A session with an error listener from the start. The server can end a session in the packet that says it is ready,
 * and an error without a listener ends the process. Statements on the session still fail with the error. Statements are
 * pipelined.
 */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, pipeline: true });
    this.on('error', () => undefined);
  }
}

/** A pool whose sessions have an error listener from the start. */
export function heardPool(config: PoolConfig): Pool {
  return new Pool({ ...config, Client: HeardClient });
}
