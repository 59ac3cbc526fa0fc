import swc from '@swc/jest';

/**
 * Compiles TypeScript with swc. By default, jest compiles a file again for each project and for each tier, because the
 * key of its cache contains the whole configuration of the project, such as its name and its ignored files.
 */
export default {
  createTransformer(options) {
    const transformer = swc.createTransformer(options);
    return {
      ...transformer,
      getCacheKey: (text, path, call) => transformer.getCacheKey(text, path, { ...call, configString: '' }),
    };
  },
};
