import { errorText } from '@app/kernel';
import git, { Errors, type PromiseFsClient } from 'isomorphic-git';
import { confinedFiles } from './confined-files.js';
import type { EgressClient } from '@app/platform/egress';
import { EgressError } from '@app/platform/egress';
import { GitReadError } from './git-read-error.js';
import { type GitLimits, gitTransport } from './git-transport.js';

/** Maximum length of a path in characters. Git has the same limit. */
const MAX_PATH = 4_096;

export interface GitPlace {
  /** An http or https URL without a user name or password. */
  url: string;
  branch?: string;
  credentials?: { username: string; password: string };
}

/** A submodule is a link to a commit of another repository. */
type GitEntryKind = 'file' | 'symbolic_link' | 'submodule';

/** An entry of a commit that is not a folder. `oid` is the object id of its content. */
export interface GitFile {
  path: string;
  oid: string;
  kind: GitEntryKind;
}

/** Needs no git program. Used only in a confined child process. */
export class GitRepository {
  /** Cache of isomorphic-git for the parts of the pack that it has read. */
  private readonly cache = {};

  private constructor(
    private readonly fs: PromiseFsClient,
    private readonly gitdir: string,
    readonly commit: string,
  ) {}

  /** @throws GitReadError; EgressError if the host cannot be reached or is not allowed */
  static async fetch(place: GitPlace, gitdir: string, client: EgressClient, limits: GitLimits): Promise<GitRepository> {
    const fs = confinedFiles(gitdir);
    try {
      await git.init({ fs, gitdir, bare: true, defaultBranch: 'main' });
      const { url, branch, credentials } = place;
      await git.addRemote({ fs, gitdir, remote: 'origin', url });
      const { fetchHead } = await git.fetch({
        fs,
        gitdir,
        remote: 'origin',
        http: gitTransport(client, limits),
        ref: branch ?? 'HEAD',
        depth: 1,
        singleBranch: true,
        tags: false,
        headers: credentials ? { authorization: basic(credentials) } : {},
      });
      if (fetchHead !== null) return new GitRepository(fs, gitdir, fetchHead);
      throw new GitReadError('missing', 'The repository has no commit yet. Push a commit, then sync again.');
    } catch (cause) {
      throw readError(cause, place, limits);
    }
  }

  async *files(): AsyncGenerator<GitFile> {
    const { tree } = await git.readTree({ ...this.place, oid: this.commit });
    yield* this.below(tree, '');
  }

  async read(oid: string): Promise<Uint8Array> {
    return (await git.readBlob({ ...this.place, oid })).blob;
  }

  private get place(): { fs: PromiseFsClient; gitdir: string; cache: object } {
    return { fs: this.fs, gitdir: this.gitdir, cache: this.cache };
  }

  private async *below(tree: Awaited<ReturnType<typeof git.readTree>>['tree'], above: string): AsyncGenerator<GitFile> {
    // A hostile server can send a tree that contains itself, so the length of paths is limited.
    if (above.length > MAX_PATH)
      throw new GitReadError('protocol', 'The repository has folders that are nested too deeply.');
    for (const { path, oid, type, mode } of tree) {
      const whole = above + path;
      if (type === 'tree') yield* this.below((await git.readTree({ ...this.place, oid })).tree, `${whole}/`);
      else yield { path: whole, oid, kind: kindOf(type, mode) };
    }
  }
}

function kindOf(type: 'blob' | 'commit', mode: string): GitEntryKind {
  if (type === 'commit') return 'submodule';
  return mode === '120000' ? 'symbolic_link' : 'file';
}

function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function readError(cause: unknown, { url, branch }: GitPlace, { maxPackBytes }: GitLimits): unknown {
  if (cause instanceof GitReadError) return cause;
  if (cause instanceof EgressError) {
    if (cause.reason !== 'too_large') return cause;
    const message = `The repository at ${url} is larger than ${maxPackBytes / 1024 / 1024} MiB, even without its history.`;
    return new GitReadError('too_large', message, { cause });
  }
  if (cause instanceof Errors.HttpError) {
    const { statusCode } = cause.data;
    if (statusCode === 401 || statusCode === 403)
      return new GitReadError(
        'refused',
        `The git server at ${url} rejected the credentials (HTTP status ${statusCode}). Check \`auth\` of the source.`,
        { cause },
      );
    if (statusCode === 404)
      return new GitReadError(
        'missing',
        `There is no repository at ${url} (HTTP status 404). Check the URL. If the repository is private, check \`auth\` of the source.`,
        { cause },
      );
    return new GitReadError('protocol', `The git server at ${url} responded with HTTP status ${statusCode}.`, {
      cause,
    });
  }
  if (cause instanceof Errors.NotFoundError)
    return new GitReadError(
      'missing',
      `The repository at ${url} has no ${branch === undefined ? 'default branch' : `branch ${branch}`}. Set \`branch\` of the source to an existing branch.`,
      { cause },
    );
  return new GitReadError('protocol', `${url} is not a readable git repository: ${errorText(cause)}`, { cause });
}
