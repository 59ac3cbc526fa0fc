import { within } from '@app/platform/sandbox';
import { EgressClient } from '@app/platform/egress';
import { GitReadError } from './git-read-error.js';
import { type GitFile, type GitPlace, GitRepository } from './git-repository.js';

export interface FetchRequest {
  place: GitPlace;
  /** An empty folder. The caller removes it. */
  gitdir: string;
  allow: readonly string[];
  maxPackBytes: number;
  fetchMillis: number;
}

const LISTED = 1_000;

let repository: GitRepository | undefined;
let files: AsyncIterator<GitFile> | undefined;

export async function fetch({ place, gitdir, allow, maxPackBytes, fetchMillis }: FetchRequest): Promise<string> {
  const work = GitRepository.fetch(place, gitdir, new EgressClient({ allow }), { maxPackBytes });
  const message = `Fetching ${place.url} took longer than ${fetchMillis / 1_000} s.`;
  repository = await within(fetchMillis, work, () => new GitReadError('protocol', message));
  files = repository.files()[Symbol.asyncIterator]();
  return repository.commit;
}

export async function list(): Promise<GitFile[]> {
  const listed: GitFile[] = [];
  while (listed.length < LISTED) {
    const next = await files?.next();
    if (next === undefined || next.done === true) break;
    listed.push(next.value);
  }
  return listed;
}

export async function read(oid: string): Promise<Uint8Array> {
  if (!repository) throw new GitReadError('protocol', 'The repository has not been fetched.');
  return repository.read(oid);
}
