import { packagesOf } from './bundled-packages.js';

const PROGRAM = 'dist/apps/api/src/stop-listener/stop-listener-thread.js';
/** A thread loads its own copy of each package. These make most of the memory of the api. */
const HEAVY =
  /^(@nestjs\/.+|typeorm|class-validator|class-transformer|express|prom-client|pino-pretty|ioredis|iconv-lite)$/;

describe('the thread of the emergency stop', () => {
  it('loads no package that costs much memory', () => {
    const packages = packagesOf(PROGRAM);
    expect(packages).toContain('pg');
    expect(packages.filter((name) => HEAVY.test(name))).toEqual([]);
  });
});
