import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCommit, readCommit, updateTree, writeBlob } from 'just-git/repo';
import { createServer, type GitServer } from 'just-git/server';

const AUTHOR = { name: 'Ada', email: 'ada@example.com' };

/** A git server for the smart HTTP protocol. It is written in JavaScript, so that tests need no installed git. */
export class GitHost {
  /** Method and path of every request that the server has received, in the form `METHOD /path`. */
  readonly asked: string[] = [];
  readonly credentials: (string | undefined)[] = [];
  /** `Authorization` header that the server requires. If it is undefined, the server accepts all requests. */
  authorization: string | undefined;
  readonly moved = new Map<string, string>();

  private constructor(
    private readonly git: GitServer,
    private readonly server: Server,
  ) {}

  static async start(): Promise<GitHost> {
    const git = createServer();
    const server = createHttpServer();
    const host = new GitHost(git, server);
    server.on('request', (request, response) => {
      host.asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
      host.credentials.push(request.headers.authorization);
      const [, name = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(request.url ?? '') ?? [];
      const elsewhere = host.moved.get(name);
      if (elsewhere !== undefined) return void response.writeHead(301, { location: elsewhere + rest }).end();
      const isAllowed = host.authorization === undefined || request.headers.authorization === host.authorization;
      if (isAllowed) git.nodeHandler(request, response);
      else response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async create(name: string): Promise<string> {
    await this.git.createRepo(name, { defaultBranch: 'main' });
    return `${this.url}/${name}`;
  }

  /** Adds a commit to the branch. The value null deletes a file. */
  async commit(name: string, files: Record<string, string | null>, branch = 'main'): Promise<void> {
    await this.git.commit(name, { files, message: 'A change', author: AUTHOR, branch });
  }

  async commitLinks(
    name: string,
    { symbolicLink, submodule }: { symbolicLink: string; submodule: string },
  ): Promise<void> {
    const repository = await this.git.requireRepo(name);
    const head = await repository.refStore.readRef('refs/heads/main');
    if (head?.type !== 'direct') throw new Error(`${name} has no commit.`);
    const tree = await updateTree(repository, (await readCommit(repository, head.hash)).tree, [
      { path: symbolicLink, hash: await writeBlob(repository, 'readme.md'), mode: '120000' },
      { path: submodule, hash: head.hash, mode: '160000' },
    ]);
    const commit = await createCommit(repository, { tree, parents: [head.hash], author: AUTHOR, message: 'Links' });
    await this.git.updateRefs(name, [{ ref: 'refs/heads/main', newHash: commit }]);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
