import type { EgressClient } from './egress-client.js';
import type { GitPlace, GitRepository } from './git-repository.js';
import type { GitLimits } from './git-transport.js';
import type { HostGuard } from './host-guard.js';
import type { MysqlReader } from './mysql-reader.js';

// Most processes never read these: their libraries take some 20 MB, and are loaded by whoever reads first.

/** {@link GitRepository.fetch} */
export async function fetchRepository(
  place: GitPlace,
  client: EgressClient,
  limits: GitLimits,
): Promise<GitRepository> {
  const { GitRepository } = await import('./git-repository.js');
  return GitRepository.fetch(place, client, limits);
}

/** {@link MysqlReader.open} */
export async function openMysql(dsn: string, guard: HostGuard): Promise<MysqlReader> {
  const { MysqlReader } = await import('./mysql-reader.js');
  return MysqlReader.open(dsn, guard);
}
