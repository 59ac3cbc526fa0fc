import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { modulesIn, packagesOf } from './bundled-packages.js';
import { REPOSITORY_ROOT as ROOT } from '../support/repository-root.js';

const STARTED_BY_PATH = /new URL\('(?:\.\/)?([\w-]+)\.js', (?:import\.meta\.url|pathToFileURL)/g;

/** Packages that keep state in their modules, or whose classes are compared. A second copy would have its own. */
const ONE_COPY = /node_modules\/(typeorm|class-validator|class-transformer|bullmq|ioredis|@opentelemetry\/api)\//;
const REQUIRED_AT_RUN_TIME =
  /require[$\w]*\(["'](?:typeorm|class-validator|class-transformer(?:\/cjs\/storage)?)["']\)/;

const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
const isProductSource = (path: string) => /\/src\/.+(?<!spec)\.ts$/.test(path) && !path.includes('/testing/');
const bundles = () => filesIn('dist').filter((path) => /^dist\/(apps|libs|chunks)\/.*\.js$/.test(path));
const isMissing = (path: string) => !existsSync(join(ROOT, 'dist', path));
const sources = ['api', 'worker', 'standalone'].flatMap((app) => filesIn(`apps/${app}`)).concat(filesIn('libs'));

describe('the bundles in dist', () => {
  it('contain every program that is started by its path', () => {
    const started = sources.filter(isProductSource).flatMap((path) => {
      const names = readFileSync(join(ROOT, path), 'utf8').matchAll(STARTED_BY_PATH);
      return [...names].map(([, name]) => join(dirname(path), `${name}.js`));
    });
    expect(started).toContain('libs/connectors/src/git/git-process.js');
    expect(started.filter(isMissing)).toEqual([]);
  });

  it('have every SQL and JSON file beside them', () => {
    const files = sources.filter((path) => /\.(sql|json)$/.test(path));
    expect(files).not.toEqual([]);
    expect(files.filter(isMissing)).toEqual([]);
  });

  it('keep the names of functions and classes in a stack trace', async () => {
    const program = pathToFileURL(join(ROOT, 'dist/libs/connectors/src/git/git-process.js')).href;
    const script = `const { read } = await import(${JSON.stringify(program)});
      await read('0').catch((error) => process.stdout.write(error.constructor.name + error.stack));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(stdout).toMatch(/^GitReadError/);
    expect(stdout).toMatch(/at (async )?read \(/);
  });

  it('contain one copy of each package that keeps state', () => {
    const modules = bundles()
      .flatMap((path) => modulesIn(join(ROOT, path)))
      .filter((path) => ONE_COPY.test(path));
    const paths = modules.map((path) => path.slice(path.indexOf('node_modules')));
    expect(paths).toContain('node_modules/typeorm/metadata-args/MetadataArgsStorage.js');
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
    const inTwoForms = bundles().filter((path) => REQUIRED_AT_RUN_TIME.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(inTwoForms).toEqual([]);
  });

  it('have the licenses of all packages in them beside them', () => {
    const licenses = readFileSync(join(ROOT, 'dist/third-party-licenses.txt'), 'utf8');
    const named = [...licenses.matchAll(/^(\S+) \d+\.\d+\.\d\S*$/gm)].map(([, name]) => name);
    const modules = bundles().flatMap((path) => modulesIn(join(ROOT, path)));
    const packages = modules.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect(packages).toContain('typeorm');
    expect(packages.filter((name) => !named.includes(name))).toEqual([]);
    for (const folder of ['console', 'cli', 'docs']) {
      expect(readFileSync(join(ROOT, 'dist', folder, 'third-party-licenses.txt'), 'utf8')).toMatch(
        /Permission is hereby/,
      );
    }
  });

  it.each(['api', 'worker'])('load the SDK of OpenTelemetry only if the settings need it: %s', (app) => {
    const packages = packagesOf(`dist/apps/${app}/src/main.js`);
    expect(packages).toContain('typeorm');
    expect(packages.filter((name) => /@opentelemetry\/(sdk|core|exporter|otlp|resources)/.test(name))).toEqual([]);
  });

  it('load only tens of files for a program', () => {
    const load = (path: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(path)) return seen;
      seen.add(path);
      const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export) [^'"]*?["'](\.[^"']+)["'];$/gm);
      for (const [, target = ''] of imports) load(join(dirname(path), target), seen);
      return seen;
    };
    for (const app of ['api', 'worker']) {
      const files = load(join(ROOT, `dist/apps/${app}/src/main.js`));
      expect(files.size).toBeGreaterThan(1);
      expect(files.size).toBeLessThan(100);
    }
  });
});
