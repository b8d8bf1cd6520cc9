import type {OpenTransport} from '../wire/open-transport.ts';

/** What is known of a server before it is contacted. */
export type RegistrationFacts = {
	/** Whether its authorization server accepts client metadata documents; `undefined` if it was never reached. */
	readonly takesDocuments: boolean | undefined;
	/** Whether this program is registered there. */
	readonly isRegistered: boolean;
	/** The document to present if documents are accepted. */
	readonly document: string | undefined;
};

export type Redirect = {
	readonly url: string;
	/** Whether the document, if there is one, declares that URL. */
	readonly isDeclared: boolean;
};

export type LoginOptions = {
	readonly open: OpenTransport;
	/** Chooses the redirect URI. */
	readonly redirect: (known: RegistrationFacts) => Promise<Redirect>;
	/** Shows an http(s) URL to a person, and resolves to the query parameters of the redirect. `issuer`: the authorization server that the page should belong to. */
	readonly openBrowser: (url: URL, issuer: string) => Promise<URLSearchParams>;
	/** Values from variables, to be redacted. */
	readonly secrets: readonly string[];
	readonly signal: AbortSignal;
};
