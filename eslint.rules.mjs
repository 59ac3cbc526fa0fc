import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { metaphorsIn, MOST_COLUMNS, phrasesIn } from './test/structure/phrases.mjs';

/**
 * The lint rules of this project. The table lists what each finds (ESQuery selectors), what to do instead, and where
 * it applies. Each row is a separate rule, so that one can be disabled for one line, with a reason.
 */

export const TYPESCRIPT = ['**/*.{ts,tsx}'];
const PRODUCT = ['apps/**/*.{ts,tsx}', 'libs/**/*.ts'];
/** What other programs are built from as well. */
const PRODUCT_AND_PACKAGES = [...PRODUCT, 'packages/**/*.ts'];
const LIBS = ['libs/**/*.ts'];
const DOMAIN = [
  'libs/{workspace,connections,connectors,definition,events,agents,knowledge,runs,triggers,evaluation,installation}/**/*.ts',
];
/** Pure folders and pure modules: the same arguments give the same answer, for ever. */
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
/** Standalone is a launcher: it prints for a person, and talks only to the processes it started. */
const LAUNCHER = ['apps/standalone/**'];
/** Runs in a browser, whose content policy allows connections to its own server only. */
const CONSOLE = ['apps/console/src/**'];
/** The command line runs on the computer of a person, whose environment it reads in one place. */
const COMMAND_LINE_ENTRY = ['apps/cli/src/main.ts'];

/** `token` alone is left out: parsers compare those. */
const SECRET =
  '/(secret|password|passphrase|signature|hmac|(api|access|private)_?key|(access|refresh|bearer|session|api)_?token|(secret|key|token)_?(hash|digest))$/i';
/** Asking whether there is a secret, or of which type it is, compares nothing. */
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
    message: 'Named exports only.',
    files: TYPESCRIPT,
    ignores: ['test/support/global-*.ts'], // Jest calls the default export of its setup files.
  },
  'no-export-star': {
    find: ['ExportAllDeclaration'],
    message: 'Name what the front door exports.',
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
    message: 'More than eight collaborators: split the class.',
    files: TYPESCRIPT,
  },
  'no-double-assertion': {
    find: ['TSAsExpression > TSAsExpression[typeAnnotation.type="TSUnknownKeyword"]'],
    message: 'Check the value instead of asserting its type twice.',
    files: PRODUCT_AND_PACKAGES,
    ignores: TESTS,
  },
  // A bounded index may be asserted, and `row` of a statement that always gives one; no other name, call or member may.
  'no-blind-non-null': {
    find: ['TSNonNullExpression:not([expression.computed=true]):not([expression.name=/^row$/])'],
    message: 'Prove that it is there: narrow it, or state it with invariant().',
    files: PRODUCT_AND_PACKAGES,
    ignores: TESTS,
  },
  // An error class of its own that a lib catches itself is the lib's business.
  'throw-domain-error': {
    find: [
      'ThrowStatement > NewExpression[callee.name=/^((|Type|Range|Syntax|Reference|URI|Aggregate)Error|.*Exception)$/]',
    ],
    message: 'Libs throw DomainError from @app/kernel; its code is the contract.',
    files: LIBS,
    ignores: TESTS,
  },
  'no-nest-http': {
    find: [`ImportDeclaration[source.value="@nestjs/common"] > ImportSpecifier[imported.name=${NEST_HTTP}]`],
    message: 'Libs throw DomainError and know no HTTP; apps/api turns it into a status.',
    files: LIBS,
  },
  'no-service-location': {
    find: ['ImportSpecifier[imported.name=/^(forwardRef|ModuleRef|LazyModuleLoader|ModulesContainer)$/]'],
    message: 'Inject what you need; a cycle means that the boundary is in the wrong place.',
    files: PRODUCT,
    ignores: TESTS,
  },
  'env-in-config-only': {
    find: [
      'MemberExpression[object.name="process"][property.name="env"]',
      'VariableDeclarator[init.name="process"] Property[key.name="env"]',
      'ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name="env"]',
    ],
    message: 'The environment is read and validated once, in libs/platform/src/config.',
    files: PRODUCT,
    ignores: ['libs/platform/src/config/**', ...COMMAND_LINE_ENTRY, ...TESTS],
  },
  'constant-time-secrets': {
    find: ['left.name', 'left.property.name', 'right.name', 'right.property.name'].map(
      (name) => `BinaryExpression[operator=/^[=!]==?$/][${name}=${SECRET}]${COMPARES_VALUES}`,
    ),
    message: 'Compare secrets with the constant-time compare of @app/platform/crypto.',
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
      'Take a Clock from @app/kernel (or the time as an argument); what is due is decided by the clock of the database.',
    files: [...DOMAIN, ...PURE],
    ignores: ['libs/kernel/src/{clock,ids}.ts', ...TESTS],
  },
  'no-ambient-randomness': {
    find: ['MemberExpression[object.name="Math"][property.name="random"]'],
    message: 'Ids come from newId(), secrets from @app/platform/crypto, jitter from an argument.',
    files: PRODUCT,
    ignores: TESTS,
  },
  'no-randomness-in-pure-code': {
    find: ['MemberExpression[object.name="crypto"]'],
    message: 'Pure code takes ids and random bytes as arguments.',
    files: PURE,
    ignores: ['libs/kernel/src/ids.ts', ...TESTS],
  },
  'no-timers': {
    find: [
      'CallExpression[callee.name=/^set(Timeout|Interval|Immediate)$/]',
      'ImportDeclaration[source.value=/^(node:)?timers/]',
    ],
    message:
      'Domain code does not wait: let the queue or a due time in Postgres do it, or AbortSignal.timeout for a limit.',
    files: [...DOMAIN, ...PURE],
    ignores: ['libs/kernel/src/clock.ts', ...TESTS],
  },
  'no-sql-templates': {
    find: [
      `CallExpression[callee.property.name=${TAKES_SQL}] > TemplateLiteral.arguments > .expressions:not(Identifier[name=/^[A-Z][A-Z0-9_]*$/])`,
      `CallExpression[callee.property.name=${TAKES_SQL}] > BinaryExpression.arguments[operator="+"]`,
    ],
    message: 'SQL is constant text with parameters ($1, :name); only an UPPER_CASE constant may be pasted into it.',
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
    message: 'Ask a predicate of run-status.ts, which owns the transition table.',
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
    message: 'Every outbound connection passes the egress client of @app/platform/egress.',
    files: PRODUCT,
    ignores: ['libs/platform/src/{egress,sql-clients}/**', ...LAUNCHER, ...CONSOLE, ...TESTS],
  },
  'no-process-exit': {
    find: ['CallExpression[callee.object.name="process"][callee.property.name=/^(exit|abort|kill)$/]'],
    message: 'Only an app decides when its process ends.',
    files: LIBS,
    // It runs in a process of its own, which it has to end.
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
    message: 'A handler is one call and one presenter; decisions belong to the service.',
    files: ['apps/**/*.controller.ts'],
  },
  'data-is-text': {
    find: [
      'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]',
      'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
      'Property[key.name="dangerouslySetInnerHTML"]',
    ],
    message: 'Data from tools, mails and models is hostile: render it as text.',
    files: CONSOLE,
  },
  'processor-does-not-catch': {
    find: ['CatchClause', 'CallExpression[callee.property.name="catch"]'],
    message: 'What a failure of a job means (retry or give up) is decided in one place, not in a processor.',
    files: ['**/*.processor.ts'],
  },
  'no-focused-test': {
    find: [
      'MemberExpression[object.name=/^(it|test|describe)$/][property.name="only"]',
      'CallExpression[callee.name=/^(fit|fdescribe)$/]',
    ],
    message: 'A focused test silences all others.',
    files: TESTS,
  },
  'no-module-mock': {
    find: [
      'CallExpression[callee.object.name="jest"][callee.property.name=/^(mock|doMock|setMock|unstable_mockModule)$/]',
    ],
    message: 'No mocks of our own code: inject a real implementation or a double of a port.',
    files: TESTS,
  },
  'no-sleep': {
    find: [
      'AwaitExpression > NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"]',
      'AwaitExpression > CallExpression[callee.name=/^(sleep|delay|setTimeout)$/]',
    ],
    message: 'Poll the condition you wait for (eventually, in test/support).',
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
      // A provider of another name is reported already.
      if (ROLE_FILE.test(file) && !named && !node.body.some(holdsProvider)) found(node);
    },
  };
}

const holdsProvider = ({ declaration }) => declaration?.type === 'ClassDeclaration' && isProvider(declaration);

const selectorRule = ({ find, message }) =>
  report(message, (_context, found) => Object.fromEntries(find.map((selector) => [selector, found])));

/** Folders whose texts still hold phrases that are not used; `npm run language <folder>` lists them. */
const { language } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'test/structure/known-violations.json'), 'utf8'),
);
export const KNOWN_LANGUAGE = Object.keys(language).map((name) =>
  name.includes('/') ? `${name}/**` : name === 'test' ? 'test/*' : name,
);

const plainEnglish = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      phrase: 'Write plain English: instead of "{{phrase}}" {{instead}}.',
      wide: `A comment is at most ${MOST_COLUMNS} columns wide.`,
    },
  },
  create: ({ sourceCode, filename, report: found }) => ({
    Program(node) {
      const comments = sourceCode.getAllComments();
      const strings = sourceCode.ast.tokens.filter(({ type }) => type === 'String' || type === 'Template');
      for (const part of [...comments, ...strings])
        for (const data of phrasesIn(sourceCode.getText(part))) found({ loc: part.loc, messageId: 'phrase', data });
      for (const { loc } of comments.filter(isWide(sourceCode))) found({ loc, messageId: 'wide' });
      for (const data of metaphorsIn(basename(filename))) found({ node, messageId: 'phrase', data });
    },
    ':matches(ClassDeclaration, FunctionDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration)[id]'({ id }) {
      for (const data of metaphorsIn(id.name)) found({ node: id, messageId: 'phrase', data });
    },
  }),
};

const isWide =
  ({ lines }) =>
  ({ loc: { start, end } }) =>
    lines.slice(start.line - 1, end.line).some(({ length }) => length > MOST_COLUMNS);

const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*){1,3}$/;
const EMPTY_NAME = /(^|[-.])(utils?|helpers?|common|shared|misc|constants|managers?)\.|(^|\.)types\./;
/** From the brace that opens the body to the one that closes it. */
const MOST_HANDLER_LINES = 12;

/** The plugin `project`. */
export const project = {
  rules: {
    ...Object.fromEntries(Object.entries(SELECTOR_RULES).map(([name, rule]) => [name, selectorRule(rule)])),
    'file-name': report(
      'Name files in kebab-case, <noun>.<role>.ts, for what they hold: no utils, helpers, common, types, constants.',
      (context, found) => ({
        Program: (node) => {
          const name = basename(context.filename);
          if (!FILE_NAME.test(name) || EMPTY_NAME.test(name)) found(node);
        },
      }),
    ),
    'plain-english': plainEnglish,
    'role-names': report(
      `Name a provider or entity <Noun><Role> in <noun>.<role>.ts. A file without one has no role in its name. Roles: ${ROLES.replaceAll('|', ', ')}.`,
      roleNames,
    ),
    'short-handlers': report(
      'A handler answers in at most 12 lines: what it decides belongs to the service, what it shows to the view.',
      (_context, found) => ({
        'MethodDefinition > FunctionExpression > BlockStatement'(node) {
          if (node.loc.end.line - node.loc.start.line >= MOST_HANDLER_LINES) found(node);
        },
      }),
    ),
    'explain-exceptions': report(
      'Say why, after two dashes: // eslint-disable-next-line <rule> -- <reason>',
      (context, found) => ({
        Program: () => {
          const silent = ({ value }) => /^\s*eslint-disable/.test(value) && !/ -- \S/.test(value);
          context.sourceCode.getAllComments().filter(silent).forEach(found);
        },
      }),
    ),
  },
};

/** One configuration block for each rule of the table. */
export const projectBlocks = Object.entries(SELECTOR_RULES).map(([name, { files, ignores = [] }]) => ({
  name: `project/${name}`,
  files,
  ignores,
  rules: { [`project/${name}`]: 'error' },
}));
