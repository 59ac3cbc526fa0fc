/** The lists of the console whose filters can be saved. */
export const VIEW_SCREENS = ['runs', 'approvals'] as const;
export type ViewScreen = (typeof VIEW_SCREENS)[number];
