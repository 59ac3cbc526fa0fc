import { basename } from 'node:path';

/**
 * The lint rules of this project. For each rule, the table lists its ESQuery selectors, what to do instead, and where
 * it applies. Each row is a separate rule, so that one can be disabled for one line, with a reason.
 */

export const TYPESCRIPT = ['**/*.{ts,tsx}'];
const PRODUCT = ['apps/**/*.{ts,tsx}', 'libs/**/*.ts'];
/** Product code, and packages that are published for other programs. */
const PRODUCT_AND_PACKAGES = [...PRODUCT, 'packages/**/*.ts'];
const LIBS = ['libs/**/*.ts'];
const DOMAIN = [
  'libs/{workspace,connections,connectors,definition,events,agents,knowledge,runs,triggers,evaluation,installation}/**/*.ts',
];
/** Pure folders and modules: the same arguments always lead to the same result. */
const PURE = [
  'libs/kernel/**/*.ts',
  'libs/{definition/src/**/*,agents/src/evaluations/promotion-gate}.ts',
  'libs/runs/src/{interpreter/**/*,records/run-status}.ts',
  'libs/evaluation/src/grade.ts',
  'libs/events/src/retry-schedule.ts',
  'libs/knowledge/src/chunking/chunks.ts',
  'libs/platform/src/markdown/*.ts',
];
export const TESTS = ['**/*.{spec,int-spec,e2e-spec,browser-spec}.ts', '**/testing/**/*.ts', 'test/**/*.ts'];
/** Standalone is a launcher. It prints to the terminal, and connects only to the processes that it started. */
const LAUNCHER = ['apps/standalone/**'];
/** They run in a browser. The content security policy of their pages allows connections to their own server only. */
const BROWSER_APPS = ['apps/{console,guides}/src/**'];
/** The CLI runs on the computer of a person. It reads the environment variables in this file only. */
const COMMAND_LINE_ENTRY = ['apps/cli/src/main.ts'];

/** The name `token` alone does not match, because parsers compare tokens. */
const SECRET =
  '/(secret|password|passphrase|signature|hmac|(api|access|private)_?key|(access|refresh|bearer|session|api)_?token|(secret|key|token)_?(hash|digest))$/i';
/** Excludes checks whether a secret exists or which type it has, because they compare no values. */
const COMPARES_VALUES = ':not([right.type="Literal"]):not([right.name=/^undefined$/]):not([left.operator="typeof"])';
const TAKES_SQL = '/^(query|where|andWhere|orWhere|having)$/';
const RUN_STATUS = '/^(queued|running|waiting_approval|succeeded|failed|handed_off|cancelled)$/';
const NEST_HTTP =
  '/Exception$|^(HttpStatus|HttpCode|Controller|Get|Post|Put|Patch|Delete|All|Head|Options|Sse|Body|Param|Query|Headers?|Req|Request|Res|Response|Redirect|Use(Guards|Filters|Pipes|Interceptors))$/';

const SELECTOR_RULES = {
  'no-enum': {
    find: ['TSEnumDeclaration'],
    message: 'Use a const tuple and a union type, spelled as on the wire.',
    files: TYPESCRIPT,
  },
  'no-default-export': {
    find: ['ExportDefaultDeclaration'],
    message: 'Use named exports only.',
    files: TYPESCRIPT,
    ignores: ['test/support/global-*.ts'], // Jest calls the default export of its setup files.
  },
  'no-export-star': {
    find: ['ExportAllDeclaration'],
    message: 'List the exported names in the index.ts.',
    files: TYPESCRIPT,
  },
  'plain-names': {
    find: [
      'ClassDeclaration[id.name=/(Impl|Dto|Manager|Helper|Utils?)$/]',
      'TSInterfaceDeclaration[id.name=/^I[A-Z][a-z]/]',
    ],
    message: 'Name it for what it is or does: no I prefix, no Impl, Dto, Manager, Helper or Util suffix.',
    files: TYPESCRIPT,
  },
  'few-collaborators': {
    find: ['MethodDefinition[kind="constructor"] > FunctionExpression[params.length>8]'],
    message: 'The class has more than eight constructor parameters. Split it.',
    files: TYPESCRIPT,
  },
  'no-double-assertion': {
    find: ['TSAsExpression > TSAsExpression[typeAnnotation.type="TSUnknownKeyword"]'],
    message: 'Check the value instead of asserting its type twice.',
    files: PRODUCT_AND_PACKAGES,
    ignores: TESTS,
  },
  // Allows the assertion for a valid index, and for `row` of a statement that always returns a row. Forbids all others.
  'no-blind-non-null': {
    find: ['TSNonNullExpression:not([expression.computed=true]):not([expression.name=/^row$/])'],
    message: 'Check that the value exists: narrow its type, or assert it with invariant().',
    files: PRODUCT_AND_PACKAGES,
    ignores: TESTS,
  },
  // A lib may throw its own error class if it catches the error itself.
  'throw-domain-error': {
    find: [
      'ThrowStatement > NewExpression[callee.name=/^((|Type|Range|Syntax|Reference|URI|Aggregate)Error|.*Exception)$/]',
    ],
    message: 'Throw DomainError from @app/kernel. Callers rely on its error code.',
    files: LIBS,
    ignores: TESTS,
  },
  'no-nest-http': {
    find: [`ImportDeclaration[source.value="@nestjs/common"] > ImportSpecifier[imported.name=${NEST_HTTP}]`],
    message: 'Libs must not use HTTP exceptions. Throw DomainError, which apps/api maps to an HTTP status.',
    files: LIBS,
  },
  'no-service-location': {
    find: ['ImportSpecifier[imported.name=/^(forwardRef|ModuleRef|LazyModuleLoader|ModulesContainer)$/]'],
    message: 'Inject the dependency. If that causes a cycle, the code is divided at the wrong place.',
    files: PRODUCT,
    ignores: TESTS,
  },
  'env-in-config-only': {
    find: [
      'MemberExpression[object.name="process"][property.name="env"]',
      'VariableDeclarator[init.name="process"] Property[key.name="env"]',
      'ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name="env"]',
    ],
    message: 'Do not read process.env. libs/platform/src/config reads and validates the environment once.',
    files: PRODUCT,
    ignores: ['libs/platform/src/config/**', ...COMMAND_LINE_ENTRY, ...TESTS],
  },
  'constant-time-secrets': {
    find: ['left.name', 'left.property.name', 'right.name', 'right.property.name'].map(
      (name) => `BinaryExpression[operator=/^[=!]==?$/][${name}=${SECRET}]${COMPARES_VALUES}`,
    ),
    message: 'Compare secrets with constantTimeEqual of @app/platform/crypto.',
    files: PRODUCT,
    ignores: TESTS,
  },
  'no-ambient-clock': {
    find: [
      'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
      'NewExpression[callee.name="Date"][arguments.length=0]',
      'CallExpression[callee.object.name="performance"][callee.property.name="now"]',
      'CallExpression[callee.object.name="process"][callee.property.name=/^(hrtime|uptime)$/]',
    ],
    message:
      'Inject a Clock of @app/kernel, or accept the time as an argument. The clock of the database decides what is due.',
    files: [...DOMAIN, ...PURE],
    ignores: ['libs/kernel/src/{clock,ids}.ts', ...TESTS],
  },
  'no-ambient-randomness': {
    find: ['MemberExpression[object.name="Math"][property.name="random"]'],
    message: 'Use newId() for ids, @app/platform/crypto for secrets, and an argument for jitter.',
    files: PRODUCT,
    ignores: TESTS,
  },
  'no-randomness-in-pure-code': {
    find: ['MemberExpression[object.name="crypto"]'],
    message: 'Pure code must accept ids and random bytes as arguments.',
    files: PURE,
    ignores: ['libs/kernel/src/ids.ts', ...TESTS],
  },
  'no-timers': {
    find: [
      'CallExpression[callee.name=/^set(Timeout|Interval|Immediate)$/]',
      'ImportDeclaration[source.value=/^(node:)?timers/]',
    ],
    message:
      'Domain code must not use timers. Use the queue or a due time in Postgres, or AbortSignal.timeout for a time limit.',
    files: [...DOMAIN, ...PURE],
    ignores: ['libs/kernel/src/clock.ts', ...TESTS],
  },
  'no-sql-templates': {
    find: [
      `CallExpression[callee.property.name=${TAKES_SQL}] > TemplateLiteral.arguments > .expressions:not(Identifier[name=/^[A-Z][A-Z0-9_]*$/])`,
      `CallExpression[callee.property.name=${TAKES_SQL}] > BinaryExpression.arguments[operator="+"]`,
    ],
    message: 'SQL must be constant text with parameters ($1, :name). Only UPPER_CASE constants may be interpolated.',
    files: PRODUCT,
    ignores: TESTS,
  },
  'status-in-one-place': {
    find: [
      `BinaryExpression[operator=/^[=!]==?$/][left.property.name="status"][left.object.name=/run$/i][right.value=${RUN_STATUS}]`,
      `BinaryExpression[operator=/^[=!]==?$/][left.name="runStatus"][right.value=${RUN_STATUS}]`,
      'BinaryExpression[operator=/^[=!]==?$/] > Literal[value=/^(waiting_approval|handed_off)$/]',
      `SwitchStatement[discriminant.property.name="status"][discriminant.object.name=/run$/i] > SwitchCase[test.value=${RUN_STATUS}]`,
    ],
    message: 'Use a predicate of run-status.ts, which contains the table of transitions.',
    files: PRODUCT,
    ignores: ['libs/runs/src/records/run-status.ts', ...TESTS],
  },
  // The import rule outbound-only-through-egress covers modules. This rule covers globals, and node:net except its
  // parsers.
  'no-raw-network': {
    find: [
      'CallExpression[callee.name="fetch"]',
      'MemberExpression[object.name="globalThis"][property.name="fetch"]',
      'NewExpression[callee.name=/^(WebSocket|EventSource)$/]',
      'ImportDeclaration[importKind!="type"][source.value=/^(node:)?net$/] > ImportSpecifier[importKind!="type"][imported.name!=/^(isIP|isIPv4|isIPv6|BlockList|SocketAddress)$/]',
    ],
    message: 'Make outbound connections through the egress client of @app/platform/egress.',
    files: PRODUCT,
    // The scanner is an address of the operator, like the database.
    ignores: [
      'libs/platform/src/{egress,sql-clients}/**',
      'libs/files/src/content/clamd.client.ts',
      ...LAUNCHER,
      ...BROWSER_APPS,
      ...TESTS,
    ],
  },
  'no-process-exit': {
    find: ['CallExpression[callee.object.name="process"][callee.property.name=/^(exit|abort|kill)$/]'],
    message: 'Only an app may end its process.',
    files: LIBS,
    // These files run in a separate process, which they must end.
    ignores: ['libs/platform/src/sandbox/{process-host,watchdog}.ts', ...TESTS],
  },
  'thin-controller': {
    find: [
      'IfStatement',
      'SwitchStatement',
      'TryStatement',
      'ConditionalExpression',
      'ForOfStatement',
      'ForStatement',
      'WhileStatement',
    ],
    message: 'A handler must consist of one call and one presenter. Move decisions into the service.',
    files: ['apps/**/*.controller.ts'],
  },
  'data-is-text': {
    find: [
      'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]',
      'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
      'Property[key.name="dangerouslySetInnerHTML"]',
    ],
    message: 'Data from tools, mails and models may be hostile. Render it as text, not as HTML.',
    files: BROWSER_APPS,
  },
  'processor-does-not-catch': {
    find: ['CatchClause', 'CallExpression[callee.property.name="catch"]'],
    message: 'Do not catch errors in a processor. The job worker logs and counts them.',
    files: ['**/*.processor.ts'],
  },
  'no-focused-test': {
    find: [
      'MemberExpression[object.name=/^(it|test|describe)$/][property.name="only"]',
      'CallExpression[callee.name=/^(fit|fdescribe)$/]',
    ],
    message: 'Remove the focus. A focused test disables all other tests.',
    files: TESTS,
  },
  'no-module-mock': {
    find: [
      'CallExpression[callee.object.name="jest"][callee.property.name=/^(mock|doMock|setMock|unstable_mockModule)$/]',
    ],
    message: 'Do not mock modules. Inject a real implementation, or a double of a port.',
    files: TESTS,
  },
  'no-sleep': {
    find: [
      'AwaitExpression > NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"]',
      'AwaitExpression > CallExpression[callee.name=/^(sleep|delay|setTimeout)$/]',
    ],
    message: 'Do not sleep in tests. Poll the condition with eventually() of test/support.',
    files: TESTS,
    ignores: ['test/{support,faults,bench}/**'],
  },
};

const report = (message, visitors) => ({
  meta: { type: 'problem', schema: [], messages: { found: message } },
  create: (context) => visitors(context, (node) => context.report({ node, messageId: 'found' })),
});

/** Roles of Nest providers and entities. Class and file carry the same role: `RunStore` in `run.store.ts`. */
const ROLES =
  'Adapter|Client|Connector|Controller|Entity|Filter|Guard|Interceptor|Listener|Module|Pipe|Processor|Repository|Service|Store|Worker';
const ROLE_CLASS = new RegExp(`(${ROLES})$`);
const ROLE_FILE = new RegExp(`^[^.]+\\.(${ROLES.toLowerCase()})\\.ts$`);
const NEST_DECORATORS = new Set(['Injectable', 'Controller', 'Module', 'Catch', 'Entity']);
const isProvider = ({ decorators }) =>
  decorators.some(({ expression }) => NEST_DECORATORS.has(expression.callee?.name ?? expression.name));
/** Compares `OAuthSourceConnector` with `oauth-source.connector.ts`. */
const sameName = (className, file) => `${className}.ts`.toLowerCase() === file.replace(/[-.](?!ts$)/g, '');

function roleNames(context, found) {
  const file = basename(context.filename);
  let named = false;
  return {
    ClassDeclaration(node) {
      const matches = sameName(node.id.name, file);
      named ||= matches;
      if (isProvider(node) && !(ROLE_CLASS.test(node.id.name) && ROLE_FILE.test(file) && matches)) found(node.id);
    },
    'Program:exit'(node) {
      // The check above has already reported a provider with another name.
      if (ROLE_FILE.test(file) && !named && !node.body.some(holdsProvider)) found(node);
    },
  };
}

const holdsProvider = ({ declaration }) => declaration?.type === 'ClassDeclaration' && isProvider(declaration);

const selectorRule = ({ find, message }) =>
  report(message, (_context, found) => Object.fromEntries(find.map((selector) => [selector, found])));

const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*){1,3}$/;
const EMPTY_NAME = /(^|[-.])(utils?|helpers?|common|shared|misc|constants|managers?)\.|(^|\.)types\./;
/** Maximum number of lines of a handler, from the opening to the closing brace of its body. */
const MAX_HANDLER_LINES = 12;

/** The plugin `project`. Its rules have the form of ESLint rules. */
export default {
  meta: { name: 'project' },
  rules: {
    ...Object.fromEntries(Object.entries(SELECTOR_RULES).map(([name, rule]) => [name, selectorRule(rule)])),
    'file-name': report(
      'Name files in kebab-case, <noun>.<role>.ts, after their content: no utils, helpers, common, types, constants.',
      (context, found) => ({
        Program: (node) => {
          const name = basename(context.filename);
          if (!FILE_NAME.test(name) || EMPTY_NAME.test(name)) found(node);
        },
      }),
    ),
    'role-names': report(
      `Name a provider or entity <Noun><Role> in <noun>.<role>.ts. A file without one has no role in its name. Roles: ${ROLES.replaceAll('|', ', ')}.`,
      roleNames,
    ),
    'short-handlers': report(
      'A handler must have at most 12 lines. Move decisions into the service and presentation into the view.',
      (_context, found) => ({
        'MethodDefinition > FunctionExpression > BlockStatement'(node) {
          if (node.loc.end.line - node.loc.start.line >= MAX_HANDLER_LINES) found(node);
        },
      }),
    ),
    'explain-exceptions': report(
      'Add the reason after two dashes: // oxlint-disable-next-line <rule> -- <reason>',
      (context, found) => ({
        Program: () => {
          const silent = ({ value }) => /^\s*oxlint-disable/.test(value) && !/ -- \S/.test(value);
          context.sourceCode.getAllComments().filter(silent).forEach(found);
        },
      }),
    ),
  },
};

/** One override for each rule of the table. */
export const projectOverrides = Object.entries(SELECTOR_RULES).map(([name, { files, ignores = [] }]) => ({
  files,
  excludeFiles: ignores,
  rules: { [`project/${name}`]: 'error' },
}));
