/**
 * A Vite plugin that builds `file` as a script of its own. The page runs it while the browser loads the other scripts.
 * The file must not import anything.
 */
export function earlyScript(file) {
  let script;
  return {
    name: 'early-script',
    apply: 'build',
    buildStart() {
      script = this.emitFile({ type: 'chunk', id: file });
    },
    generateBundle() {
      script = this.getFileName(script);
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'script', attrs: { async: true, src: `/console/${script}` }, injectTo: 'head-prepend' }],
    },
  };
}
