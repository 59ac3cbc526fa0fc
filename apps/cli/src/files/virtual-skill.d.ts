/** The skill for coding assistants, see apps/skill-module.mjs. */
declare module 'virtual:skill' {
  export const name: string;
  /** The texts by path below the folder of the skill. */
  export const files: Readonly<Record<string, string>>;
}
