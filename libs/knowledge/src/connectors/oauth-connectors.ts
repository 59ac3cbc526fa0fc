/** Connectors that a person authorises in the web app. Adding one by API answers with where to. */
export const OAUTH_CONNECTORS = ['google_drive', 'notion', 'github'] as const;
