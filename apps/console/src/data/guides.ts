/** Path of the guides. They are a separate website, not pages of the console. */
export const GUIDES_PATH = '/docs/guides/';
