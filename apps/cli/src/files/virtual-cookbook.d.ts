/** The agents of docs/cookbook: see apps/cookbook-templates.mjs. */
declare module 'virtual:cookbook' {
  interface CookbookTemplate {
    name: string;
    title: string;
    /** Definitions, the main one first. */
    files: { file: string; text: string }[];
  }

  export const cookbook: readonly CookbookTemplate[];
}
