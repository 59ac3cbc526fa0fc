import { serveCalls, within } from '@app/platform/isolated-program';
import { EgressClient } from './egress-client.js';
import { GitReadError } from './git-read-error.js';
import { type GitFile, type GitPlace, GitRepository } from './git-repository.js';

export interface FetchRequest {
  place: GitPlace;
  /** An empty folder, which the service removes. */
  gitdir: string;
  /** Entries of EGRESS_ALLOW. */
  allow: readonly string[];
  maxPackBytes: number;
  /** For the whole fetch. */
  fetchMillis: number;
}

/** Files that are listed at once. */
const LISTED = 1_000;

let repository: GitRepository | undefined;
let files: AsyncIterator<GitFile> | undefined;

function fetched(): GitRepository {
  if (!repository) throw new GitReadError('protocol', 'The repository has not been fetched.');
  return repository;
}

/** The program that fetches and reads one repository. */
serveCalls({
  fetch: async ({ place, gitdir, allow, maxPackBytes, fetchMillis }: FetchRequest) => {
    const work = GitRepository.fetch(place, gitdir, new EgressClient({ allow }), { maxPackBytes });
    const message = `${place.url} is not fetched completely within ${fetchMillis / 1_000} s.`;
    repository = await within(fetchMillis, work, () => new GitReadError('protocol', message));
    files = repository.files()[Symbol.asyncIterator]();
    return repository.commit;
  },
  list: async () => {
    const listed: GitFile[] = [];
    while (listed.length < LISTED) {
      const next = await files?.next();
      if (next === undefined || next.done === true) break;
      listed.push(next.value);
    }
    return listed;
  },
  read: (oid: string) => fetched().read(oid),
});
