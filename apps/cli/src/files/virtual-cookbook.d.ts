/** The templates from docs/cookbook, see apps/cookbook-templates.mjs. */
declare module 'virtual:cookbook' {
  interface CookbookTemplate {
    name: string;
    title: string;
    /** The main definition is the first one. */
    files: { file: string; text: string }[];
  }

  export const cookbook: readonly CookbookTemplate[];
}
