import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import ts from 'typescript-eslint';
import { project, projectBlocks, TESTS, TYPESCRIPT } from './eslint.rules.mjs';

/** The lint configuration (`npm run lint`). `.dependency-cruiser.cjs` checks imports between files. */

const lines = (max) => ['error', { max, skipBlankLines: false, skipComments: false }];
const functionLines = (max) => ['error', { max, skipBlankLines: true, skipComments: true }];

const NODE_GLOBALS = [...Object.getOwnPropertyNames(globalThis), 'module'];

export default defineConfig(
  {
    ignores: ['dist/**', 'packages/*/{dist,src/generated}/**', '**/*.generated.ts', 'coverage/**', '.data/**'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' }, plugins: { project } },
  js.configs.recommended,
  {
    files: ['**/*.{mjs,cjs}'],
    languageOptions: { globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, 'readonly'])) },
  },
  {
    files: TYPESCRIPT,
    extends: [ts.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    name: 'presets, tuned',
    files: TYPESCRIPT,
    rules: {
      // Nest modules are classes that have only a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Spreading a string into its code points is intended.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // TypeORM returns base types. An assertion gives them the type of the configured driver.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Replaced by project/no-blind-non-null. With noUncheckedIndexedAccess, a valid index needs the assertion.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // An implementation of an asynchronous port is async, even if it awaits nothing, so that a throw becomes a
      // rejection.
      '@typescript-eslint/require-await': 'off',
      // Only the caller of query<Row>(sql) knows the type of the rows.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    name: 'project/every-file',
    files: TYPESCRIPT,
    rules: {
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
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  ...projectBlocks,
  {
    name: 'project/providers',
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: TESTS,
    rules: { 'project/role-names': 'error' },
  },
  {
    name: 'project/controllers',
    files: ['apps/**/*.controller.ts'],
    // Decorators that describe a route are part of its method, so methods are longer than their code.
    rules: { 'max-lines': lines(200), 'project/short-handlers': 'error' },
  },
  {
    name: 'views, relaxed',
    files: ['**/*.view.ts'],
    // The return type of the function is inferred. The .api.ts file that uses the function checks the type.
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    name: 'project/processors',
    files: ['**/*.processor.ts'],
    rules: { 'max-lines': lines(60), complexity: ['error', 3] },
  },
  { name: 'project/tests', files: TESTS, rules: { 'max-lines': lines(500) } },
  {
    name: 'tests, relaxed',
    files: TESTS,
    rules: {
      // A test suite that cannot run on this machine logs a warning.
      'no-console': ['error', { allow: ['warn'] }],
      // A describe block has as many lines as its test cases need.
      'max-lines-per-function': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      // Bodies of HTTP responses and asymmetric matchers have the type any. The expectations check their values.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
