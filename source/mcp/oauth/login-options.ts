import type {OpenTransport} from '../wire/open-transport.ts';

/** What is known of a server before it is asked. */
export type RegistrationFacts = {
	/** Whether its authorization server takes metadata documents; `undefined`: it was never reached. */
	readonly takesDocuments: boolean | undefined;
	/** This program has registered there. */
	readonly isRegistered: boolean;
	/** A document that would be presented where one is taken. */
	readonly document: string | undefined;
};

export type Redirect = {
	readonly url: string;
	/** Whether the document, if there is one, declares that URL. */
	readonly isDeclared: boolean;
};

export type LoginOptions = {
	readonly open: OpenTransport;
	/** Says where the authorization server sends the browser back to. */
	readonly redirect: (known: RegistrationFacts) => Promise<Redirect>;
	/**
	 * Shows an http(s) URL to a person and resolves with the parameters of the URL that the browser came back with. `issuer`: the authorization server, whose page it should be.
	 */
	readonly openBrowser: (url: URL, issuer: string) => Promise<URLSearchParams>;
	/** Values that came from variables. */
	readonly secrets: readonly string[];
	readonly signal: AbortSignal;
};
