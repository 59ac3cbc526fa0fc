/**
 * `npm run test:node24 -- [--packages <folder>] [arguments of jest]`: runs tests on the recommended release of Node.js,
 * which it installs from npm outside the checkout. Without arguments of jest, runs all unit tests and the files below.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { CheckoutError, prepareCheckout, ROOT } from '../apps/standalone/checkout.mjs';

const UNIT = String.raw`\.spec\.ts$`;
/** Files that use what differs between releases of Node.js: processes, threads, network, streams, native packages. */
const FILES = [
  // The start of the service, runs, shutdown, and workers that are killed.
  'apps/standalone/src/embedded-postgres.int-spec.ts',
  'apps/standalone/src/service-process.int-spec.ts',
  'test/e2e/readme.e2e-spec.ts',
  'test/e2e/startup.e2e-spec.ts',
  'test/e2e/start-and-wait.e2e-spec.ts',
  'test/e2e/follows-a-run.e2e-spec.ts',
  'test/e2e/crash.e2e-spec.ts',
  'test/e2e/api-shutdown.e2e-spec.ts',
  'test/e2e/emergency-stop.e2e-spec.ts',
  'test/e2e/stop-listener.e2e-spec.ts',
  'test/e2e/backup.e2e-spec.ts',
  'test/e2e/key-rotation.e2e-spec.ts',
  'test/e2e/telemetry.e2e-spec.ts',
  'libs/platform/src/queue/queue.int-spec.ts',
  'libs/platform/src/observability/background-writer.int-spec.ts',
  // Code in the sandbox, and threads.
  'test/e2e/code-steps.e2e-spec.ts',
  'libs/platform/src/sandbox/code/code-pool.int-spec.ts',
  'libs/platform/src/sandbox/process-pool.int-spec.ts',
  'libs/platform/src/extraction/extraction.service.int-spec.ts',
  'libs/knowledge/src/documents/passage-cutter.int-spec.ts',
  // Calls of tools (HTTP, MCP, SQL) and of models.
  'test/e2e/http-requests.e2e-spec.ts',
  'test/e2e/egress.e2e-spec.ts',
  'libs/platform/src/egress/egress-limits.int-spec.ts',
  'libs/platform/src/egress/egress-stream.int-spec.ts',
  'libs/runs/src/tools/http-calls.int-spec.ts',
  'libs/runs/src/tools/mcp-tool.int-spec.ts',
  'libs/platform/src/mcp/hostile-servers.int-spec.ts',
  'test/e2e/reference-mcp-servers.e2e-spec.ts',
  'test/e2e/sql-tools.e2e-spec.ts',
  'test/e2e/models.e2e-spec.ts',
  // Triggers, webhooks and e-mail.
  'test/e2e/webhooks.e2e-spec.ts',
  'test/e2e/webhook-endpoints.e2e-spec.ts',
  'test/e2e/receiver.e2e-spec.ts',
  'test/e2e/smtp-listener.e2e-spec.ts',
  'test/e2e/email-triggers.e2e-spec.ts',
  'test/e2e/imap-mailboxes.e2e-spec.ts',
  // Knowledge.
  'test/e2e/git-sources.e2e-spec.ts',
  'test/e2e/website-sync.e2e-spec.ts',
  // Sign-in, the command line, the client and the console.
  'test/e2e/sign-in.e2e-spec.ts',
  'test/e2e/oidc-sign-in.e2e-spec.ts',
  'test/e2e/command-line.e2e-spec.ts',
  'test/e2e/command-terminal.e2e-spec.ts',
  'packages/sdk/test/client.e2e-spec.ts',
  'packages/sdk/test/package.e2e-spec.ts',
  'test/browser/console-sign-in.browser-spec.ts',
  'test/browser/console-run-live.browser-spec.ts',
];

const { folder, jestArguments } = readArguments(process.argv.slice(2));
try {
  await prepareCheckout(undefined, { tests: true });
  process.exitCode = await runTests(await recommendedNode(folder), jestArguments);
} catch (error) {
  if (!(error instanceof CheckoutError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function readArguments([first, value, ...rest]) {
  const isFolder = first === '--packages' && value !== undefined;
  const given = isFolder ? rest : [first, value, ...rest].filter((each) => each !== undefined);
  return { folder: isFolder ? resolve(value) : undefined, jestArguments: given.length > 0 ? given : smoke() };
}

/** Returns the arguments of jest for the default selection. jest itself would ignore a file that does not exist. */
function smoke() {
  const missing = FILES.filter((file) => !existsSync(join(ROOT, file)));
  if (missing.length > 0) throw new Error(`test/node24.mjs lists files that do not exist: ${missing.join(', ')}`);
  return [UNIT, ...FILES, '--selectProjects', 'unit', 'integration', 'e2e', 'browser'];
}

/** Returns the path of the binary, and prints its version. Installs it first if it is not installed. */
async function recommendedNode(packages) {
  // These modules are compiled with the service.
  const { RECOMMENDED_NODE, runtimeBinary } = await import('../dist/test/support/javascript-runtimes.js');
  const { cacheFolder } = await import('../dist/test/support/cache-folder.js');
  const cache = packages ?? cacheFolder('agent-automation-runtimes');
  process.stdout.write(`Node ${RECOMMENDED_NODE} from the npm package node, in ${cache}\n`);
  const binary = await runtimeBinary('node', RECOMMENDED_NODE, cache);
  const { stdout } = await promisify(execFile)(binary, ['--version']);
  process.stdout.write(`The tests run on Node ${stdout.trim()} (${binary})\n`);
  return binary;
}

/** Runs `npm test` with the given binary. Processes that find `node` or `npm` in PATH use the same binary. */
function runTests(binary, args) {
  process.env.PATH = `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}`;
  process.env.NODE = binary;
  process.env.npm_node_execpath = binary;
  const child = spawn(binary, [join(ROOT, 'test/run.mjs'), ...args], { cwd: ROOT, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((finish, reject) => {
    child.once('error', reject);
    child.once('close', (code) => finish(code ?? 1));
  });
}
