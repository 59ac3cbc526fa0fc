/** The templates from docs/cookbook, see apps/cookbook-templates.mjs. */
declare module 'virtual:cookbook' {
  interface CookbookTemplate {
    name: string;
    title: string;
    /** The first file contains the main definition. */
    files: { file: string; text: string }[];
  }

  export const cookbook: readonly CookbookTemplate[];
}
