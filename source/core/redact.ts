/** Replaces what must not be shown or stored. Pure for a given set of secrets. */
export type Redact = (text: string) => string;
