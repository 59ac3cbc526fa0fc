/** The import rules (`npm run structure`). Each lib has a list of allowed imports. Any other import is an error. */
const BELOW_RUNS = [
  'kernel',
  'cel',
  'platform',
  'workspace',
  'connections',
  'events',
  'files',
  'definition',
  'connectors',
  'agents',
  'knowledge',
];
const MAY_IMPORT = {
  cel: ['kernel'],
  'json-schema': ['kernel', 'cel'],
  definition: ['kernel', 'cel', 'json-schema'],
  platform: ['kernel'],
  workspace: ['kernel', 'platform'],
  connections: ['kernel', 'platform', 'workspace'],
  events: ['kernel', 'platform', 'workspace'],
  files: ['kernel', 'platform', 'workspace'],
  connectors: ['kernel', 'platform', 'workspace', 'connections'],
  agents: ['kernel', 'platform', 'workspace', 'connections', 'events', 'definition'],
  knowledge: ['kernel', 'platform', 'workspace', 'connections', 'events', 'files', 'connectors'],
  runs: BELOW_RUNS,
  triggers: [...BELOW_RUNS, 'runs'],
  evaluation: [...BELOW_RUNS, 'runs'],
  installation: [...BELOW_RUNS, 'runs', 'triggers', 'evaluation'],
};

/** The folders of libs/runs in order. Each folder may import the folders before it. */
const RUNS_ORDER = [
  'interpreter',
  'records',
  'store',
  'privacy',
  'read',
  'calls',
  'start',
  'live-view',
  'models',
  'children',
  'state',
  'tools',
  'approvals',
  'callbacks',
  'execution',
  'replay',
  'emergency-stop',
  'bulk',
  'changes',
  'statistics',
  'reconciling',
  'retention',
];

const KERNEL_DOOR = '^libs/kernel/src/index\\.ts$';
const DEFINITION_DOOR = '^libs/definition/src/index\\.ts$';
/** The JSON reader, which the thread of the stop listener loads without the rest of the lib. */
const SOURCE_DOOR = '^libs/definition/src/source/index\\.ts$';
const EMERGENCY_STOP_DOOR = '^libs/runs/src/emergency-stop/index\\.ts$';
const SETTINGS_DOOR = '^libs/installation/src/settings/index\\.ts$';
/** This file collects the settings of all libs without loading the libs. */
const SETTINGS_LIST = '^libs/installation/src/settings/settings\\.ts$';
/** Entry points for imports from other libs. Platform has one entry point per folder. */
const FRONT_DOORS = [
  '^libs/(?!platform/)[^/]+/src/index\\.ts$',
  '^libs/platform/src/[^/]+/index\\.ts$',
  SOURCE_DOOR,
  EMERGENCY_STOP_DOOR,
  SETTINGS_DOOR,
];

const PRODUCT = '^(apps|libs|packages)/';
const TEST_CODE = '\\.(spec|int-spec|e2e-spec|browser-spec)\\.ts$|/testing/';
/** These apps are bundled when they are built, so their packages are development dependencies. */
const BUNDLED = '^apps/(console|cli|guides)/';
/** Builders that tests of all libs may share. The rule no-test-code-in-production keeps them out of product code. */
const TESTING = '^libs/.*/testing/';
/** Entry points of confined processes, which communicate with hostile peers. */
const ISOLATED_PROGRAMS =
  '^libs/(platform/src/sql-clients/sql|connectors/src/git/git|triggers/src/email/imap/imap)-process\\.ts$';
/** Files that load a library which reads data of a hostile peer. Only the programs above and each other load them. */
const ISOLATED_FILES =
  '^libs/(platform/src/sql-clients/(postgres-(reader|call|values)|mysql-(reader|call))|connectors/src/git/git-repository|triggers/src/email/imap/imap-session)\\.ts$';
/** Files that a person or a container starts. Migrations are not among them: the index.ts of their lib lists them. */
const ENTRIES = [
  '^apps/[^/]+/src/(main|migrate)\\.tsx?$',
  '^apps/console/src/first-request\\.ts$',
  '^apps/standalone/src/commands/main\\.ts$',
  '^apps/standalone/src/parent-watch\\.ts$',
  '^apps/(bundle-programs|runtime-packages|standalone/(start|command))\\.mjs$',
  '^apps/(console|cli|guides)/vite\\.config\\.mjs$',
  '^packages/sdk/((build|generate)\\.mjs|src/(index|webhooks)\\.ts)$',
  '^apps/api/src/stop-listener/stop-listener-thread\\.ts$',
  '^libs/knowledge/src/documents/passage-thread\\.ts$',
  '^libs/platform/src/extraction/extraction-program\\.ts$',
  '^libs/triggers/src/email/email-program\\.ts$',
  '^libs/platform/src/sandbox/process-host\\.ts$',
  '^libs/platform/src/sandbox/code/code-thread\\.ts$',
  ISOLATED_PROGRAMS,
].join('|');

const npm = (...names) => `node_modules/(${names.join('|')})/`;
/** Core modules are resolved to their bare name, with `node:` or without. */
const core = (...names) => `^(node:)?(${names.join('|')})$`;

const error = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const layers = Object.entries(MAY_IMPORT).map(([lib, allowed]) =>
  error(
    `${lib}-imports`,
    `libs/${lib} may import only ${allowed.join(', ')}.`,
    { path: `^libs/${lib}/` },
    { path: PRODUCT, pathNot: [`^libs/(${[lib, ...allowed].join('|')})/`, TESTING] },
  ),
);

const runsOrder = [
  // The rule `interpreter-is-pure` covers the first folder, which imports no other folder.
  ...RUNS_ORDER.slice(1).map((folder) => {
    const before = RUNS_ORDER.slice(0, RUNS_ORDER.indexOf(folder));
    return error(
      `runs-${folder}-order`,
      `libs/runs/src/${folder} may import only the folders before it: ${before.join(', ')}.`,
      { path: `^libs/runs/src/${folder}/`, pathNot: TEST_CODE },
      { path: '^libs/runs/', pathNot: [`^libs/runs/src/(${[...before, folder].join('|')})/`, TESTING] },
    );
  }),
  error(
    'runs-folder-has-a-place',
    'Add a new folder of libs/runs to RUNS_ORDER.',
    { path: '^libs/runs/src/[^/]+/', pathNot: [`^libs/runs/src/(${RUNS_ORDER.join('|')})/`, TEST_CODE] },
    // The index.ts of the migrations imports the migrations in the same folder.
    { path: '^libs/runs/', pathNot: '^libs/runs/src/migrations/' },
  ),
];

const doors = [
  error(
    'front-door-only',
    'Import another lib only through its index.ts. Export what you need there, or move the code to the lib that uses it.',
    { path: '^(?:apps|libs)/([^/]+)/', pathNot: SETTINGS_LIST },
    { path: '^libs/', pathNot: ['^libs/$1/', ...FRONT_DOORS, TESTING] },
  ),
  error(
    'settings-import-declarations-only',
    'A process that only reads the settings must not load the libs, so the list imports `*.config.ts` files directly.',
    { path: SETTINGS_LIST },
    { path: '^libs/', pathNot: ['\\.config\\.ts$', '^libs/platform/src/config/index\\.ts$'] },
  ),
  error(
    'config-file-is-light',
    'Processes that need only the settings load `*.config.ts` files. So such a file may import only the kernel, platform/config and its own folder.',
    { path: '^(libs/.+)/[^/]+\\.config\\.ts$' },
    { path: PRODUCT, pathNot: ['^$1/', KERNEL_DOOR, '^libs/platform/src/config/index\\.ts$'] },
  ),
  error(
    'platform-folder-front-door',
    'The folders of platform are small libs. Import another folder only through its index.ts.',
    { path: '^libs/platform/src/([^/]+)/' },
    {
      path: '^libs/platform/src/',
      pathNot: ['^libs/platform/src/$1/', '^libs/platform/src/[^/]+/index\\.ts$', TESTING],
    },
  ),
  error(
    'e2e-from-outside',
    'An end-to-end test uses public interfaces only: HTTP, and the index.ts of the libs.',
    { path: '^test/e2e/' },
    { path: '^libs/', pathNot: [...FRONT_DOORS, TESTING] },
  ),
  error(
    'no-repository-in-front-door',
    'Access the tables of another lib through its services.',
    { path: '^libs/.+/index\\.ts$' },
    { path: '\\.repository\\.ts$' },
  ),
  error(
    'entity-as-type-only',
    'Outside of its lib, use an entity only as a type. Do not query its table.',
    { path: '^libs/.+/index\\.ts$' },
    { path: '\\.entity\\.ts$', dependencyTypesNot: ['type-only'] },
  ),
  error(
    'apps-are-separate',
    'Apps must not import each other. They share code in libs. Standalone starts the other apps as processes.',
    { path: '^apps/([^/]+)/' },
    // The builds of the bundled apps share the files directly in apps/.
    { path: '^apps/', pathNot: '^apps/($1/|[^/]+$)' },
  ),
  error(
    'sdk-stands-alone',
    'The SDK is published. It must not import packages, core modules of Node or other code of this repository.',
    { path: '^packages/sdk/src/', pathNot: TEST_CODE },
    { pathNot: '^packages/sdk/src/' },
  ),
  error(
    'console-and-cli-talk-http-only',
    'The console and the CLI use the API through packages/sdk and must not import its code.',
    { path: BUNDLED },
    { path: '^libs/' },
  ),
];

const purity = [
  error(
    'kernel-is-pure',
    'The kernel must not have any dependency.',
    { path: '^libs/kernel/', pathNot: TEST_CODE },
    { pathNot: '^libs/kernel/' },
  ),
  ...[
    // Functions of expressions: CSV, XML, hashes, UTF-8.
    ['cel', [npm('@marcbachmann/cel-js', '@bufbuild/re2', 'csv-parse', 'fast-xml-parser'), core('crypto', 'buffer')]],
    ['json-schema', [npm('ajv', 'ajv-formats', '@hyperjump/json-schema-formats', 'idn-hostname')]],
    ['definition', [npm('yaml', 'acorn', 'ajv', 'fast-json-patch', 'croner')]],
  ].map(([lib, allowed]) =>
    error(
      `${lib}-is-pure`,
      `libs/${lib} computes. It needs only the packages listed here, and no I/O and no framework.`,
      { path: `^libs/${lib}/`, pathNot: TEST_CODE },
      // The rules on imports of libs cover the code of this repository.
      { pathNot: [PRODUCT, ...allowed] },
    ),
  ),
  error(
    'interpreter-is-pure',
    'The interpreter uses definitions, recorded steps and ports only. It must not use I/O or a framework.',
    { path: '^libs/runs/src/interpreter/', pathNot: TEST_CODE },
    { pathNot: ['^libs/runs/src/interpreter/', KERNEL_DOOR, DEFINITION_DOOR] },
  ),
  error(
    'pure-module-is-pure',
    'A domain rule is a pure function of its arguments. It must not use I/O, a framework or platform services.',
    {
      path: '^libs/(runs/src/records/run-status|agents/src/evaluations/promotion-gate|events/src/retry-schedule|knowledge/src/chunking/chunks|platform/src/markdown/(headings|text-lines)|evaluation/src/grade)\\.ts$',
    },
    {
      path: [
        '^libs/platform/',
        '\\.(module|service|repository|entity)\\.ts$',
        npm('@nestjs', 'typeorm', 'pg', 'undici'),
        '^(node:)?[a-z_]+(/promises)?$',
      ],
      // This index.ts is pure as well.
      pathNot: '^libs/platform/src/markdown/index\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
  ),
];

const technologies = [
  error(
    'typeorm-stays-in-persistence',
    'Use TypeORM and pg only in entities, repositories, stores, modules, migrations and platform/database.',
    {
      path: PRODUCT,
      pathNot: [
        '\\.(entity|repository|store|module)\\.ts$',
        '^libs/[^/]+/src/migrations/',
        '^libs/platform/src/database/',
        '^libs/platform/src/sql-clients/postgres-(reader|call|values)\\.ts$',
        '^apps/standalone/src/postgres/connection\\.ts$',
        TEST_CODE,
      ],
    },
    { path: npm('typeorm', '@nestjs/typeorm', 'pg') },
  ),
  error(
    'bullmq-stays-in-queue',
    'Only platform/queue may import BullMQ.',
    { path: PRODUCT, pathNot: ['^libs/platform/src/queue/', TEST_CODE] },
    { path: npm('bullmq') },
  ),
  error(
    'redis-stays-in-platform',
    'Only platform/queue and platform/rate-limits may import the Redis client.',
    { path: PRODUCT, pathNot: ['^libs/platform/src/(queue|rate-limits)/', TEST_CODE] },
    { path: npm('ioredis', 'rate-limiter-flexible') },
  ),
  error(
    'outbound-only-through-egress',
    'Make outbound connections through platform/egress, which blocks private addresses and sets limits. (Exceptions: standalone connects only to its own child processes. The api, the probe server of a worker and a waiting process only accept connections.)',
    {
      path: PRODUCT,
      pathNot: [
        '^libs/platform/src/egress/',
        '^apps/standalone/',
        '^apps/api/src/(http/api-http-adapter|stop-listener/stop-server)\\.ts$',
        '^apps/worker/src/probe-server\\.ts$',
        // Listens on this computer for the code of a sign-in.
        '^apps/cli/src/session/browser-sign-in\\.ts$',
        '^libs/platform/src/startup/waiting-server\\.ts$',
        TEST_CODE,
      ],
    },
    {
      path: [npm('undici'), core('http', 'https', 'http2', 'tls', 'dgram', 'dns', 'dns/promises')],
      dependencyTypesNot: ['type-only'],
    },
  ),
  error(
    'smtp-stays-in-mail',
    'Only platform/mail may connect to the mail relay of the installation.',
    { path: PRODUCT, pathNot: ['^libs/platform/src/mail/', TEST_CODE] },
    { path: npm('nodemailer') },
  ),
  error(
    'git-stays-in-its-connector',
    'Only the git connector may read git repositories, in a separate process.',
    { path: PRODUCT, pathNot: ['^libs/connectors/src/git/', TEST_CODE] },
    { path: npm('isomorphic-git') },
  ),
  error(
    'imap-stays-in-email-triggers',
    'Only email triggers may read mailboxes, in a separate process.',
    { path: PRODUCT, pathNot: ['^libs/triggers/src/email/imap/', TEST_CODE] },
    { path: npm('imapflow') },
  ),
  error(
    'mysql-stays-in-sql-clients',
    'Only platform/sql-clients may connect to the MySQL databases of tenants, in a separate process.',
    { path: PRODUCT, pathNot: ['^libs/platform/src/sql-clients/', TEST_CODE] },
    { path: npm('mysql2'), dependencyTypesNot: ['type-only'] },
  ),
  error(
    'hostile-protocols-stay-isolated',
    'A library that reads data of a hostile peer may be loaded only in an isolated process. Call it through the entry point of that process.',
    { path: PRODUCT, pathNot: [ISOLATED_PROGRAMS, ISOLATED_FILES, TEST_CODE] },
    { path: ISOLATED_FILES, dependencyTypesNot: ['type-only'] },
  ),
  error(
    'mcp-stays-in-mcp',
    'Only platform/mcp may import the SDK of the Model Context Protocol, because it could open its own connections. The server of the SDK, which opens none, is for apps/api/src/mcp.',
    { path: PRODUCT, pathNot: ['^libs/platform/src/mcp/', '^apps/api/src/mcp/', TEST_CODE] },
    { path: npm('@modelcontextprotocol') },
  ),
  error(
    'http-stays-in-api',
    'Libs use DomainError and plain values. Only apps/api may use requests, status codes and their documentation.',
    { path: PRODUCT, pathNot: ['^apps/api/', TEST_CODE] },
    {
      path: npm(
        'express',
        '@nestjs/platform-express',
        '@nestjs/swagger',
        'class-validator',
        'class-transformer',
        'helmet',
      ),
    },
  ),
];

const hygiene = [
  error(
    'no-cycles',
    'A cycle, even one of types only, means that the code is divided at the wrong place.',
    {},
    { circular: true },
  ),
  error(
    'no-unresolvable-import',
    'An import that cannot be resolved is not covered by any other rule. (Exceptions: files that the build creates may not exist yet, and Vite plugins provide virtual modules.)',
    {},
    { couldNotResolve: true, pathNot: '^([./]*/dist/|virtual:)' },
  ),
  error(
    'declared-dependencies-only',
    '`npm start` and the images install no devDependencies, and a package that package.json does not list may disappear with any update.',
    { path: PRODUCT, pathNot: [TEST_CODE, '^packages/sdk/generate\\.mjs$'] },
    { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
  ),
  error(
    'no-test-code-in-production',
    'Product code must not import test builders, doubles or specs.',
    { path: PRODUCT, pathNot: TEST_CODE },
    { path: `^test/|${TEST_CODE}` },
  ),
  error(
    'no-orphans',
    'A file that imports nothing and that no file imports is dead. Delete it.',
    {
      orphan: true,
      pathNot: [
        ENTRIES,
        TEST_CODE,
        '\\.d\\.m?ts$',
        '^test/(support/global-[^/]+|bench/[^/]+|faults/(run|preload/[^/]+)|run)\\.[^/]+$',
      ],
    },
    {},
  ),
  error(
    'no-dead-files',
    'Product code that no entry point imports, directly or indirectly, is dead, even if it has a spec. Delete it.',
    { path: ENTRIES },
    {
      path: PRODUCT,
      pathNot: [ENTRIES, TEST_CODE, '\\.d\\.ts$', '\\.css$'],
      reachable: false,
    },
  ),
  error(
    'small-stop-listener',
    'The thread of the stop listener must respond while the api is short of memory or processor time. It loads the kernel, platform, the workspace and the emergency stop. Move what you need out of the file that imports another lib.',
    { path: '^apps/api/src/stop-listener/' },
    {
      path: '^libs/(definition|connections|connectors|agents|knowledge|events|files|triggers|evaluation|runs)/src/index\\.ts$',
      reachable: true,
    },
  ),
];

module.exports = {
  forbidden: [...layers, ...runsOrder, ...doors, ...purity, ...technologies, ...hygiene],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|\\.data|packages/[^/]+/dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      mainFields: ['main', 'types'],
    },
  },
};
