const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');

const SharedEnvironment = require('./shared-environment.cjs');

/** This module of jest has the state of one test file. */
const STATE_OF_A_FILE = /jest-circus[\\/]build[\\/]jestAdapterInit\.js$/;

let shared;

/**
 * Loads a module once for all test files of a jest worker. By default, jest loads all modules again for each test file,
 * which was most of the CPU time of the tests. Only the test file itself and the state of jest are new for each file.
 */
module.exports = class SharedRuntime extends Runtime {
  constructor(...parameters) {
    const [, environment, , , , , testPath, { watch, watchAll }] = parameters;
    // With `--watch`, modules change between two runs of the same process.
    if (!(environment instanceof SharedEnvironment) || watch || watchAll) {
      super(...parameters);
      this.isAlone = true;
      return;
    }
    if (shared !== undefined) return shared.startFile(testPath);
    super(...parameters);
    shared = this;
  }

  startFile(testPath) {
    this._testPath = testPath;
    for (const part of [this.esmLoader, this.executor]) part.testPath = testPath;
    this.jestGlobals.cachedEnvGlobals = undefined;
    this.testState.state = 'loading';
    return this;
  }

  teardown() {
    if (this.isAlone) return super.teardown();
    this.restoreAllMocks();
    this.fileCache.clear();
    this.transformCache.clear();
    this.registries.esModuleRegistry.delete(pathToFileURL(this._testPath).href);
    const internal = this.registries.internalModuleRegistry;
    for (const path of internal.keys()) if (STATE_OF_A_FILE.test(path)) internal.delete(path);
  }
};
