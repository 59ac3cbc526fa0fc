import { readdirSync, readFileSync } from 'node:fs';

import { projectOverrides, TESTS, TYPESCRIPT } from './oxlint.rules.mjs';

/**
 * The configuration of `npm run lint`: the recommended rules of ESLint, the strict rules of typescript-eslint and the
 * rules of this project. A rule that is not listed is off. `.dependency-cruiser.cjs` checks imports between files.
 */

const errors = (names) => Object.fromEntries(names.match(/\S+/g).map((name) => [name, 'error']));
const typescript = (names) => errors(names.replace(/\S+/g, 'typescript/$&'));
const lines = (max) => ['error', { max, skipBlankLines: false, skipComments: false }];
const functionLines = (max) => ['error', { max, skipBlankLines: true, skipComments: true }];

/** In these files, the metadata of a decorator may need an import at run time, even if only types mention it. */
const DECORATED = ['apps', 'libs', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .map((path) => `${folder}/${path}`)
    .filter((path) => path.endsWith('.ts') && /^\s*@[A-Z]\w*\(/m.test(readFileSync(path, 'utf8'))),
);

const NODE_GLOBALS = [...Object.getOwnPropertyNames(globalThis), 'module', 'require'];

export default {
  plugins: ['typescript'],
  jsPlugins: ['./oxlint.rules.mjs'],
  categories: { correctness: 'off' },
  options: {
    typeAware: true,
    typeCheck: true,
    denyWarnings: true,
    reportUnusedDisableDirectives: 'error',
    respectEslintDisableDirectives: false,
  },
  ignorePatterns: ['dist/**', 'packages/*/dist/**', 'coverage/**', '.data/**'],
  rules: errors(`
    constructor-super for-direction getter-return no-async-promise-executor no-case-declarations no-class-assign
    no-compare-neg-zero no-cond-assign no-const-assign no-constant-binary-expression no-constant-condition
    no-control-regex no-debugger no-delete-var no-dupe-class-members no-dupe-else-if no-dupe-keys no-duplicate-case
    no-empty no-empty-character-class no-empty-pattern no-empty-static-block no-ex-assign no-extra-boolean-cast
    no-fallthrough no-func-assign no-global-assign no-import-assign no-invalid-regexp no-irregular-whitespace
    no-loss-of-precision no-misleading-character-class no-new-native-nonconstructor no-nonoctal-decimal-escape
    no-obj-calls no-prototype-builtins no-redeclare no-regex-spaces no-self-assign no-setter-return
    no-shadow-restricted-names no-sparse-arrays no-this-before-super no-unassigned-vars no-undef
    no-unexpected-multiline no-unreachable no-unsafe-finally no-unsafe-negation no-unsafe-optional-chaining
    no-unused-labels no-unused-private-class-members no-unused-vars no-useless-assignment no-useless-backreference
    no-useless-catch no-useless-escape no-with preserve-caught-error require-yield use-isnan valid-typeof
  `),
  overrides: [
    {
      files: ['**/*.{js,mjs,cjs}'],
      globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, 'readonly'])),
    },
    {
      files: TYPESCRIPT,
      rules: {
        ...errors(`
          no-array-constructor no-unused-expressions no-useless-constructor no-var prefer-const prefer-rest-params
          prefer-spread
        `),
        ...typescript(`
          await-thenable explicit-module-boundary-types no-array-delete no-base-to-string no-deprecated
          no-duplicate-enum-values no-duplicate-type-constituents no-dynamic-delete no-empty-object-type no-explicit-any
          no-extra-non-null-assertion no-floating-promises no-for-in-array no-implied-eval no-invalid-void-type
          no-generated-empty-object-type no-meaningless-void-operator no-misused-new no-misused-promises no-mixed-enums
          no-namespace no-non-null-asserted-nullish-coalescing no-non-null-asserted-optional-chain
          no-redundant-type-constituents no-require-imports no-this-alias no-unnecessary-boolean-literal-compare
          no-unnecessary-template-expression no-unnecessary-type-arguments no-unnecessary-type-assertion
          no-unnecessary-type-constraint no-unnecessary-type-conversion no-unsafe-argument no-unsafe-assignment
          no-unsafe-call no-unsafe-declaration-merging no-unsafe-enum-assignment no-unsafe-enum-comparison
          no-unsafe-function-type no-unsafe-member-access no-unsafe-return no-unsafe-unary-minus
          no-useless-default-assignment no-wrapper-object-types only-throw-error prefer-as-const
          prefer-literal-enum-member prefer-namespace-keyword prefer-promise-reject-errors prefer-reduce-type-parameter
          prefer-return-this-type related-getter-setter-pairs triple-slash-reference unbound-method unified-signatures
          use-unknown-in-catch-callback-variable
        `),
        // The compiler finds these.
        'no-undef': 'off',
        'no-redeclare': 'off',
        'no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
        'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
        'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        'typescript/no-confusing-void-expression': [
          'error',
          { ignoreArrowShorthand: true, ignoreVoidOperator: true, ignoreVoidReturningFunctions: true },
        ],
        // Nest modules are classes that have only a decorator.
        'typescript/no-extraneous-class': ['error', { allowWithDecorator: true }],
        // Spreading a string into its code points is intended.
        'typescript/no-misused-spread': ['error', { allow: ['string'] }],
        'typescript/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
        'project/file-name': 'error',
        'project/explain-exceptions': 'error',
        'max-lines': lines(400),
        'max-lines-per-function': functionLines(60),
        'max-depth': ['error', 4],
        // The limits above cover length and depth. This limit covers short code with many conditions.
        complexity: ['error', { max: 15, variant: 'modified' }],
        eqeqeq: ['error', 'always', { null: 'ignore' }],
        'no-console': 'error',
        'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack', 'for now'], location: 'start' }],
      },
    },
    { files: DECORATED, rules: { 'typescript/consistent-type-imports': 'off' } },
    ...projectOverrides,
    {
      files: ['apps/**/*.ts', 'libs/**/*.ts'],
      excludeFiles: TESTS,
      rules: { 'project/role-names': 'error' },
    },
    {
      files: ['apps/**/*.controller.ts'],
      // Decorators that describe a route are part of its method, so methods are longer than their code.
      rules: { 'max-lines': lines(200), 'project/short-handlers': 'error' },
    },
    {
      files: ['**/*.view.ts'],
      // The return type of the function is inferred. The .api.ts file that uses the function checks the type.
      rules: { 'typescript/explicit-module-boundary-types': 'off' },
    },
    // A generated file is as long as what it describes.
    { files: ['packages/*/src/**/*.generated.ts'], rules: { 'max-lines': 'off' } },
    { files: ['**/*.processor.ts'], rules: { 'max-lines': lines(60), complexity: ['error', 3] } },
    {
      files: TESTS,
      rules: {
        'max-lines': lines(500),
        // A test suite that cannot run on this machine logs a warning.
        'no-console': ['error', { allow: ['warn'] }],
        // A describe block has as many lines as its test cases need.
        'max-lines-per-function': 'off',
        'typescript/explicit-module-boundary-types': 'off',
        // Bodies of HTTP responses and asymmetric matchers have the type any. The expectations check their values.
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/no-confusing-void-expression': 'off',
        'typescript/no-misused-spread': 'off',
        'typescript/unbound-method': 'off',
      },
    },
  ],
};
