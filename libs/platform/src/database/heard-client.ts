import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';

/**
 * A session whose errors somebody listens for from its beginning: the server can end it in the very packet that says it is
 * ready, and an error without a listener ends the process. Whoever uses it learns of its end all the same. Several may ask it
 * at the same time.
 */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, pipeline: true });
    this.on('error', () => undefined);
  }
}

/** A pool of such sessions. */
export function heardPool(config: PoolConfig): Pool {
  return new Pool({ ...config, Client: HeardClient });
}
