/**
 * What `npm run unused` reports: files, exports and dependencies that nothing uses.
 * Product code starts at the same entry points as in `.dependency-cruiser.cjs`, so there is one list of them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { forbidden } = createRequire(import.meta.url)('./.dependency-cruiser.cjs');
const entryPoint = new RegExp(forbidden.find(({ name }) => name === 'no-dead-files').from.path);

/** Paths of a folder's files, relative to the root of the repository. */
const filesIn = (folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true }).map((path) => `${folder}/${path}`);

export default {
  entry: [
    ...['apps', 'libs', 'packages']
      .filter((folder) => existsSync(join(import.meta.dirname, folder)))
      .flatMap(filesIn)
      .filter((path) => entryPoint.test(path)),
    '**/*.{spec,int-spec,e2e-spec,browser-spec}.ts',
    'apps/{console,cli,guides}/vite.config.mjs',
    // These files are bundled and started from dist/.
    'test/bench/{main,bare-http-server,bare-upload-server}.ts',
    'test/bench/{peers,retrieval,partitioning}/main.ts',
    'test/bench/peers/{dbos-api,dbos-worker,restate-worker}.ts',
    // These files are loaded or started by path.
    'oxlint.rules.mjs',
    'test/faults/preload/*.mjs',
    'test/fixtures/mcp-memory-server.mjs',
    'test/fixtures/mcp-stdio-server.mjs',
    'test/support/{stack-keeper,conformance-loader}.mjs',
    'libs/platform/src/sandbox/testing/greedy-program.ts',
    // TypeScript reads these declarations; nothing imports them.
    'apps/console/src/{ui/virtual-error-remedies,editor/virtual-expression-functions}.d.ts',
  ],
  project: ['{apps,libs,packages,test}/**/*.{ts,tsx,mts,mjs,cjs}', '*.{js,mjs,cjs}'],
  // An exported type may be used only in the signature of an exported function.
  ignoreExportsUsedInFile: { class: true, interface: true, type: true },
  ignoreDependencies: [
    // These packages are started as programs, and their paths are resolved at run time.
    '@modelcontextprotocol/(conformance|server-.+)',
    'yaml-language-server',
    // The browser tests unpack this package.
    '@sparticuz/chromium',
  ],
};
