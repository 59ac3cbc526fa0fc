const TRANSLATION = /[\\/]react-aria[\\/].*[\\/]intl[\\/].*[\\/][a-z]{2}-[A-Z]{2}\.mjs$/;

/**
 * A Vite plugin that replaces the translations of React Aria by its English texts, because the console is in English.
 * Otherwise the names of some of its buttons would be in the language of the browser.
 */
export function englishOnly() {
  return {
    name: 'english-only',
    load: (id) =>
      TRANSLATION.test(id) && !id.endsWith('en-US.mjs') ? `export { default } from './en-US.mjs';` : undefined,
  };
}
