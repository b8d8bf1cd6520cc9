import codes from './error-codes.json' with {type: 'json'};

export type ErrorCode = keyof typeof codes;

/**
 * Every code that an error of this program can carry, with what it means and what to do, as Markdown text of one paragraph. `svc explain CODE` prints it,
 * the page "Errors by code" lists it; the type of codes is made from its keys, so that an error nobody explains does not compile.
 */
export const errorCodes: Readonly<Record<ErrorCode, string>> = codes;
